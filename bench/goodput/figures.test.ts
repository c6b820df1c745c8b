import { expect, it } from "vitest";
import type { StreamReport } from "../live-streams/messages.js";
import { IN_TIME_MS, loadFigures } from "./figures.js";

const none = { underruns: 0, stalledMs: 0 };
const stream = (change: Partial<StreamReport>): StreamReport => ({
  ...{ text: 0, dueMs: 5000, problem: null, end: "spoken", endedMs: 16_000, firstAudioMs: 40, audioMs: 16_000 },
  ...{ plain: none, stored: none },
  ...change,
});

it("calls good only what was heard in time and without a gap", () => {
  const gap = { underruns: 1, stalledMs: 3 };
  const figures = loadFigures(
    [
      stream({}),
      stream({ firstAudioMs: IN_TIME_MS }),
      stream({ firstAudioMs: IN_TIME_MS + 1 }),
      stream({ stored: gap, plain: gap }),
      stream({ plain: gap }),
      stream({ end: "refused", problem: "full", endedMs: 12, firstAudioMs: Number.NaN }),
      stream({ end: "failed", problem: "broken", firstAudioMs: Number.NaN }),
    ],
    { fromMs: 0, toMs: 10_000 },
  );
  expect(figures).toMatchObject({
    offered: 7,
    good: 3,
    goodPerSecond: 0.3,
    refused: 1,
    failed: 1,
    late: 1,
    withGap: 1,
  });
  expect(figures.refusedMs.p50).toBe(12);
  expect(figures.firstAudioMs.max).toBe(IN_TIME_MS + 1);
});

it("counts only what was due in its time", () => {
  const streams = [stream({ dueMs: 999 }), stream({ dueMs: 1000 }), stream({ dueMs: 2999 }), stream({ dueMs: 3000 })];
  expect(loadFigures(streams, { fromMs: 1000, toMs: 3000 })).toMatchObject({ offered: 2, goodPerSecond: 1 });
});
