import { monitorEventLoopDelay } from "node:perf_hooks";

/** How often the loop is looked at, milliseconds: a stall is known to this precision. */
const RESOLUTION_MS = 10;

/**
 * Watches how long the event loop is held by one piece of work. The returned function gives the longest such time since
 * it was last called, seconds.
 */
export function watchEventLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const longestMs = delays.max / 1e6;
    delays.reset();
    return Math.max(0, longestMs - RESOLUTION_MS) / 1000;
  };
}
