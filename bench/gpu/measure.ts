import { percentile } from "../statistics.js";

/** A batch of one size, called again and again. */
export interface BatchFigures {
  batch: number;
  callP50Ms: number;
  callP95Ms: number;
  /** Seconds of audio for one second. */
  audioPerSecond: number;
  calls: number;
}

/** How often a batch is called at least, whatever the time. */
const FEWEST_CALLS = 3;

/**
 * Calls `run` with each of the batch sizes for about so long, after one call that does not count. `run` gives the seconds
 * of audio of its call.
 */
export async function batchCurve(
  sizes: readonly number[],
  forMs: number,
  run: (batch: number) => Promise<number>,
): Promise<BatchFigures[]> {
  const curve: BatchFigures[] = [];
  for (const batch of sizes) {
    await run(batch);
    const [callMs, beginMs] = [[] as number[], performance.now()];
    let audioSeconds = 0;
    while (callMs.length < FEWEST_CALLS || performance.now() - beginMs < forMs) {
      const startMs = performance.now();
      audioSeconds += await run(batch);
      callMs.push(performance.now() - startMs);
    }
    curve.push({
      batch,
      callP50Ms: percentile(callMs, 0.5),
      callP95Ms: percentile(callMs, 0.95),
      audioPerSecond: audioSeconds / ((performance.now() - beginMs) / 1000),
      calls: callMs.length,
    });
  }
  return curve;
}

/**
 * How many streams that speak without a pause a curve carries: the most audio a second of the batches whose calls end in
 * time for a first audio that nobody waits for.
 */
export function streamsOf(curve: readonly BatchFigures[], withinMs: number): number {
  const inTime = curve.filter(({ callP95Ms }) => callP95Ms <= withinMs).map(({ audioPerSecond }) => audioPerSecond);
  return Math.floor(Math.max(0, ...inTime));
}
