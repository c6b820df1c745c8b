import { expect, it } from "vitest";
import { village } from "../simulation/scenario.js";
import { simulate, streamsPerSecond } from "../simulation/simulation.js";
import { simulatedLine } from "./figures.js";

it("knows what a cluster can speak: at half of it nearly every stream is good, and none is refused", () => {
  const small = { ...village, workers: 4, workerKills: 0, schedulerKillAtMs: null, patience: 0, liveWaitMs: 500 };
  const loaded = { ...small, engineBaseMs: 5, realTimeFactor: 0.0095, arrivalSeconds: 20 };
  const perSecond = streamsPerSecond(loaded);
  // 31 s of audio at 9.5 ms and 8 chunks at 5 ms are a third of a second of one worker.
  expect(perSecond).toBeGreaterThan(10);
  expect(perSecond).toBeLessThan(13);
  const outcome = simulate({ ...loaded, streams: Math.round(perSecond * 0.5 * 20) });
  const line = simulatedLine(outcome, { multiple: 0.5, fromMs: 5000, toMs: 20_000, processorSeconds: 1 });
  expect(line).toMatchObject({ workers: 4, refused: 0, failed: 0, unfinished: 0, late: 0 });
  expect(line.good / line.live).toBeGreaterThan(0.95);
  expect(line.goodPerSecond).toBeCloseTo(line.good / 15);
  expect(line.firstAudioMs.p50).toBeLessThan(100);
});
