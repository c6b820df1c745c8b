import { describe, expect, it } from "vitest";
import { recognizer, served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

const piece = (stream: string, index: number, size = 1000) =>
  submit({ stream, index, size, task: "transcribe", model: "asr", tier: "bulk", slackMs: 60_000 });

function workers(names: string[], models = [recognizer("asr", 8)]): CoreHarness {
  const harness = new CoreHarness();
  for (const id of names) harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id, models }) });
  return harness;
}

const sizes = (harness: CoreHarness): number[] => harness.batches.map(({ batch }) => batch.chunks.length);

describe("sound to be heard", () => {
  it("of one recording goes to all workers at once, in batches, what is left being dealt out evenly", () => {
    const harness = workers(["w1", "w2", "w3"]);
    for (let index = 0; index < 27; index++) harness.send(piece("file", index));
    expect(new Set(harness.batches.map(({ workerId }) => workerId))).toEqual(new Set(["w1", "w2", "w3"]));
    harness.drainInOrder();
    // The first three found idle workers; then 24 wait for three slots, then 16, then 11…
    expect(sizes(harness)).toEqual([1, 1, 1, 8, 6, 4, 2, 2, 1, 1]);
    expect(new Set(harness.dispatched()).size).toBe(27);
  });

  it("is batched by length over all recordings", () => {
    const harness = workers(["w1"]);
    harness.send(piece("busy", 0));
    for (const stream of ["a", "b"])
      for (const [index, size] of [1000, 300, 1010].entries()) harness.send(piece(stream, index, size));
    harness.drainInOrder();
    expect(
      harness.batches.map(({ batch }) => batch.chunks.map(({ chunk }) => `${chunk.streamId}${chunk.chunkIndex}`)),
    ).toEqual([["busy0"], ["a0", "b0", "a2", "b2"], ["a1", "b1"]]);
  });

  it("comes in turns with other recordings, however long one of them is", () => {
    const harness = workers(["w1"], [recognizer("asr", 1)]);
    for (let index = 0; index < 50; index++) harness.send(piece("hour", index));
    for (let index = 0; index < 3; index++) harness.send(piece("short", index));
    const order = harness.drainInOrder();
    expect(order.indexOf("short/2")).toBeLessThan(8);
  });

  it("is kept in short batches where the slots also speak, so that a voice need not wait for long", () => {
    const after = (serviceMs: number, models = [recognizer("asr", 8), served("voice")]): number[] => {
      const harness = workers(["w1"], models);
      for (let index = 0; index < 9; index++) harness.send(piece("file", index));
      harness.advance(serviceMs);
      harness.finish();
      return sizes(harness);
    };
    expect(after(10)).toEqual([1, 8]);
    expect(after(200)).toEqual([1, 1]);
    expect(after(200, [recognizer("asr", 8)])).toEqual([1, 8]);
  });

  it("is admitted whatever a piece takes, and refused when the queue is full", () => {
    const harness = new CoreHarness({ policy: { admissionWaitMs: 300, queueChunks: 20 } });
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", models: [recognizer("asr")] }) });
    for (let stream = 0; stream < 15; stream++) harness.send(piece(`s${stream}`, 0, 3000));
    expect(harness.verdicts.map(({ streamId, type }) => `${streamId} ${type}`)).toEqual([
      "s11 refused",
      "s12 refused",
      "s13 refused",
      "s14 refused",
    ]);
  });

  it("is cancelled piece by piece, waiting and running", () => {
    const harness = workers(["w1"]);
    for (let index = 0; index < 3; index++) harness.send(piece("file", index));
    harness.send(
      { type: "cancel", streamId: "file", fromChunk: 0, toChunk: 0 },
      { type: "cancel", streamId: "file", fromChunk: 1, toChunk: 1 },
    );
    expect(harness.cancels).toEqual([{ workerId: "w1", streamId: "file", fromChunk: 0 }]);
    expect(harness.drainInOrder()).toEqual(["file/0", "file/2"]);
  });
});
