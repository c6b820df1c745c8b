import type { Clock } from "#common/clock";
import type { ProcessEnd } from "./guarded-process.js";
import { cleanHistory, decideRestart, type RestartHistory, type RestartPolicy } from "./restart-policy.js";

/** One life of a child. */
export interface ChildProcess {
  pid: number;
  /** Resolves with the child's facts once it serves; stays pending when it ends before. */
  ready: Promise<Record<string, unknown>>;
  /** Resolves when it is gone; never rejects. */
  ended: Promise<ProcessEnd>;
  signal(signal: NodeJS.Signals): void;
}

/** What happened to a child, for the log and the terminal. */
export type ChildEvent =
  | { type: "ready"; name: string; pid: number; facts: Record<string, unknown> }
  | {
      type: "ended";
      name: string;
      end: ProcessEnd | null;
      error: unknown;
      failuresInARow: number;
      restartInMs: number;
    };

/** A child that is started again whenever it ends, until it is stopped. */
export interface Supervised {
  name: string;
  /** Of the present life; null between two lives. */
  pid(): number | null;
  /** Lives so far, the present one included. */
  lives(): number;
  /** Resolves with the facts of the first life that became ready. */
  firstReady: Promise<Record<string, unknown>>;
  /** Sends a signal to the present life; false when there is none. */
  signal(signal: NodeJS.Signals): boolean;
  /**
   * Ends the present life, SIGTERM, then SIGKILL after `graceMs`, and begins the next at once; that end counts as no
   * failure. Resolves when the old life is gone.
   */
  restart(graceMs: number): Promise<void>;
  /** Ends it for good: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone. */
  stop(graceMs: number): Promise<void>;
}

export interface SuperviseOptions {
  name: string;
  /** Begins a life. A rejection counts as an end. */
  launch: () => Promise<ChildProcess>;
  clock: Clock;
  policy: RestartPolicy;
  onEvent: (event: ChildEvent) => void;
}

/** Starts a child and keeps it alive. */
export function supervise(options: SuperviseOptions): Supervised {
  const { name, launch, clock, policy, onEvent } = options;
  let history: RestartHistory = cleanHistory;
  let lives = 0;
  let current: ChildProcess | null = null;
  let starting: Promise<void> = Promise.resolve();
  let stopping = false;
  let restarting = false;
  let cancelRestart: () => void = () => undefined;
  let reportFirstReady: (facts: Record<string, unknown>) => void = () => undefined;
  const firstReady = new Promise<Record<string, unknown>>((resolve) => {
    reportFirstReady = resolve;
  });

  async function live(): Promise<void> {
    lives += 1;
    let readyAtMs: number | null = null;
    try {
      const child = await launch();
      current = child;
      void child.ready.then((facts) => {
        readyAtMs = clock.nowMs();
        reportFirstReady(facts);
        onEvent({ type: "ready", name, pid: child.pid, facts });
      });
      void child.ended.then((end) => {
        current = null;
        scheduleRestart(readyAtMs, end, null);
      });
    } catch (error) {
      scheduleRestart(null, null, error);
    }
  }

  function scheduleRestart(readyAtMs: number | null, end: ProcessEnd | null, error: unknown): void {
    if (stopping) return;
    if (restarting) {
      restarting = false;
      begin();
      return;
    }
    const decision = decideRestart(history, readyAtMs === null ? null : clock.nowMs() - readyAtMs, policy);
    history = decision.history;
    onEvent({ type: "ended", name, end, error, failuresInARow: history.failuresInARow, restartInMs: decision.waitMs });
    cancelRestart = clock.after(decision.waitMs, begin);
  }

  function begin(): void {
    starting = live();
  }
  begin();

  async function end(child: ChildProcess, graceMs: number): Promise<void> {
    child.signal("SIGTERM");
    const cancelKill = clock.after(graceMs, () => child.signal("SIGKILL"));
    await child.ended;
    cancelKill();
  }

  return {
    name,
    firstReady,
    pid: () => current?.pid ?? null,
    lives: () => lives,
    signal(signal) {
      current?.signal(signal);
      return current !== null;
    },
    async restart(graceMs) {
      await starting;
      if (stopping) return;
      history = cleanHistory;
      const child: ChildProcess | null = current;
      if (child === null) {
        cancelRestart();
        begin();
        return;
      }
      restarting = true;
      await end(child, graceMs);
    },
    async stop(graceMs) {
      stopping = true;
      cancelRestart();
      await starting;
      const child: ChildProcess | null = current;
      if (child !== null) await end(child, graceMs);
    },
  };
}
