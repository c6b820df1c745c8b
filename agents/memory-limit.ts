import type { Clock } from "#common/clock";

/** Resident memory past which a runtime retires although it holds conversations, ÷ the limit. */
const HAND_OVER_FACTOR = 1.5;
const LOOK_MS = 5000;
const MEBIBYTE = 1024 * 1024;

/** What a runtime takes now. */
export interface MemoryFacts {
  residentBytes: number;
  /** 0 is no limit. */
  limitMb: number;
  /** Conversations that it holds. */
  sessions: number;
}

/**
 * Whether a runtime should give its place to a fresh process. LiveKit's library loses half a megabyte with each room
 * that it joins (livekit/node-sdks#514), for as long as the process lives. Past the limit it retires as soon as it holds
 * no conversation; well past it, also with conversations, which it hands over as in any other drain.
 */
export function shouldRetire({ residentBytes, limitMb, sessions }: MemoryFacts): boolean {
  const limitBytes = limitMb * MEBIBYTE;
  if (limitBytes === 0 || residentBytes < limitBytes) return false;
  return sessions === 0 || residentBytes >= limitBytes * HAND_OVER_FACTOR;
}

/**
 * Looks at this process's memory now and then, and has the runtime retire once it is too much. `close` ends the
 * looking.
 */
export function watchMemory(options: {
  clock: Clock;
  limitMb: number;
  runtime: { sessions: readonly string[] };
  retire(reason: string): void;
  residentBytes?: () => number;
}): { close(): void } {
  const { clock, limitMb, runtime, retire, residentBytes = () => process.memoryUsage.rss() } = options;
  let cancel = (): void => undefined;
  const look = (): void => {
    const facts = { residentBytes: residentBytes(), limitMb, sessions: runtime.sessions.length };
    if (!shouldRetire(facts)) cancel = clock.after(LOOK_MS, look);
    else retire(`it takes ${Math.round(facts.residentBytes / MEBIBYTE)} MB, more than PARLEY_AGENT_MEMORY_MB`);
  };
  cancel = clock.after(LOOK_MS, look);
  return { close: () => cancel() };
}
