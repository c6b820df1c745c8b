import { expect, it } from "vitest";
import { testChunk } from "../engines/testing/speak.js";
import { parseInbound } from "./inbound.js";

const batchOf = (chunk: unknown): unknown => ({
  type: "batch",
  batchId: "b1",
  schedulerId: "scheduler-1",
  model: "m",
  chunks: [{ chunk, queuedUs: 5 }],
});

it("takes how freely a chunk is read as the edge says it, and the defaults from an edge that does not know of it", () => {
  const chunk = testChunk("Hello.", { sampling: { temperature: 0.1, topP: 1, repetitionPenalty: 3 } });
  expect(parseInbound(batchOf(chunk))).toMatchObject({
    ok: true,
    message: { chunks: [{ chunk: { sampling: { temperature: 0.1, topP: 1, repetitionPenalty: 3 } } }] },
  });
  const { sampling: _, ...older } = chunk;
  expect(parseInbound(batchOf(older))).toMatchObject({
    ok: true,
    message: { chunks: [{ chunk: { sampling: { temperature: 0.7, topP: 0.7, repetitionPenalty: 1.2 } } }] },
  });
});

it("refuses sampling out of bounds", () => {
  for (const sampling of [
    { temperature: 1.1 },
    { temperature: Number.NaN },
    { topP: -0.1 },
    { repetitionPenalty: 11 },
    { repetitionPenalty: Number.POSITIVE_INFINITY },
  ]) {
    expect([sampling, parseInbound(batchOf(testChunk("Hello.", { sampling }))).ok]).toEqual([sampling, false]);
  }
});
