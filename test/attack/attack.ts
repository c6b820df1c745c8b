/** The server under attack, and what an attack may draw from. */
export interface Target {
  host: string;
  port: number;
  /** A good key; attacks that need none do not use it. */
  apiKey: string;
  /** In [0, 1); the same numbers for the same seed. */
  random: () => number;
}

/** One way to hurt a service. */
export interface Attack {
  /** What the attacker does. */
  name: string;
  needsKey: boolean;
  /**
   * Goes on until `signal` aborts; then leaves no connection open. Whatever the server does to it, it does not throw.
   */
  run(target: Target, signal: AbortSignal): Promise<void>;
}
