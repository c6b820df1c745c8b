import { describe, expect, it } from "vitest";
import { done, recognizer, served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

/** A worker with one slot for all work, kept busy by a chunk that nobody waits for, and one reserved slot. */
function busyWorker(reservedSlots = 1): CoreHarness {
  const harness = new CoreHarness();
  const models = [served("voice"), recognizer("asr", 4)];
  harness.send(
    { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", reservedSlots, models }) },
    submit({ stream: "busy", tier: "bulk" }),
  );
  return harness;
}

describe("a reserved slot", () => {
  it("takes a first chunk at once while long work runs, and says so to the worker", () => {
    const harness = busyWorker();
    harness.send(submit({ stream: "new" }));
    expect(harness.batches.map(({ batch }) => [batch.chunks[0]?.chunk.streamId, batch.reserved])).toEqual([
      ["busy", undefined],
      ["new", true],
    ]);
  });

  it("stays free for the free tier, for bulk work, for streams with sound in hand and for recordings", () => {
    const harness = busyWorker();
    harness.send(
      submit({ stream: "free", tier: "free" }),
      submit({ stream: "bulk", tier: "bulk" }),
      submit({ stream: "rich", index: 1, slackMs: 60_000 }),
      submit({ stream: "soon", index: 1, slackMs: 900 }),
      submit({ stream: "file", tier: "bulk", task: "transcribe", model: "asr" }),
      submit({ stream: "microphone", task: "transcribe", model: "asr" }),
    );
    expect(harness.dispatched()).toEqual(["busy/0"]);
    harness.send(submit({ stream: "new" }));
    expect(harness.dispatched()).toEqual(["busy/0", "new/0"]);
  });

  it("takes a next chunk when it must start soon, without being told of anything else", () => {
    const harness = busyWorker();
    harness.send(submit({ stream: "a", index: 1, slackMs: 900 }), submit({ stream: "b", index: 1, slackMs: 3000 }));
    harness.advance(500);
    expect(harness.dispatched()).toEqual(["busy/0"]);
    harness.advance(150);
    expect(harness.dispatched()).toEqual(["busy/0", "a/1"]);
    harness.finish();
    harness.advance(2000);
    expect(harness.dispatched()).toEqual(["busy/0", "a/1"]);
    harness.advance(150);
    expect(harness.dispatched()).toEqual(["busy/0", "a/1", "b/1"]);
  });

  it("is there besides the others: live work takes those too", () => {
    const harness = busyWorker();
    harness.finish();
    for (const stream of ["a", "b", "c"]) harness.send(submit({ stream }));
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "b/0"]);
    expect(harness.core.loads(harness.nowMs)[0]).toMatchObject({ slots: 1, freeSlots: 0 });
    harness.finish(2);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "b/0", "c/0"]);
    expect(harness.batches.map(({ batch }) => batch.reserved === true)).toEqual([false, true, false, false]);
  });

  it("puts off no live speech on the same worker that was to start earlier", () => {
    const harness = busyWorker();
    harness.finish();
    harness.send(submit({ stream: "a" }), submit({ stream: "b", index: 1, slackMs: 150 }));
    harness.send(
      submit({ stream: "later", index: 1, slackMs: 180 }),
      submit({ stream: "sooner", index: 1, slackMs: 120 }),
    );
    harness.finish(1);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "b/1", "sooner/1"]);
    harness.finish(3);
    harness.advance(100);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "b/1", "sooner/1"]);
    harness.finish(2);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "b/1", "sooner/1", "later/1"]);
  });

  it("goes on once what was due earlier takes so long that something else must hold it up", () => {
    const harness = busyWorker();
    harness.finish();
    harness.send(submit({ stream: "a" }), submit({ stream: "stuck", index: 1, slackMs: 150 }));
    harness.send(submit({ stream: "first", slackMs: 300 }), submit({ stream: "next", index: 1, slackMs: 180 }));
    harness.finish(1);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "stuck/1"]);
    harness.advance(249);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "stuck/1"]);
    harness.advance(1);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "stuck/1", "first/0"]);
    harness.finish(3);
    expect(harness.dispatched()).toEqual(["busy/0", "a/0", "stuck/1", "first/0", "next/1"]);
  });

  it("is chosen on the worker whose speech is the least urgent", () => {
    const harness = busyWorker();
    harness.finish();
    const models = [served("voice"), recognizer("asr", 4)];
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w2", reservedSlots: 1, models }) });
    // Two that are pressing take the reserved slots, the others those for all work.
    for (const [stream, slackMs] of [
      ["a", 10],
      ["b", 20],
      ["urgent", 500],
      ["easy", 900],
    ] as const)
      harness.send(submit({ stream, index: 1, slackMs }));
    const workerOf = (name: string): string | undefined =>
      harness.batches.find(({ batch }) => batch.chunks[0]?.chunk.streamId === name)?.workerId;
    expect(workerOf("urgent")).not.toBe(workerOf("easy"));
    harness.finish(1);
    harness.finish(2);
    harness.send(submit({ stream: "new" }));
    expect(harness.batches.at(-1)?.batch.reserved).toBe(true);
    expect(workerOf("new")).toBe(workerOf("easy"));
  });

  it("does nothing where the worker has none", () => {
    const harness = busyWorker(0);
    harness.send(submit({ stream: "new" }));
    expect(harness.dispatched()).toEqual(["busy/0"]);
  });

  it("counts for the wait of speech, not for that of recordings nor of the free tier", () => {
    const harness = busyWorker();
    const waitOf = (model: string): number | undefined =>
      harness.core.loads(harness.nowMs).find((load) => load.model === model)?.predictedWaitMs;
    expect(waitOf("voice")).toBe(0);
    expect(waitOf("asr")).toBeGreaterThan(0);
    harness.send(submit({ stream: "new" }));
    expect(waitOf("voice")).toBeGreaterThan(0);
  });

  it("leaves the floors of the free tier and of bulk work as they are", () => {
    const harness = busyWorker();
    harness.finish();
    const waiting = (round: number): void =>
      harness.send(
        submit({ stream: `live-${round}-a` }),
        submit({ stream: `live-${round}-b` }),
        submit({ stream: `live-${round}-c` }),
        ...(round % 4 === 0
          ? [submit({ stream: `free-${round}`, tier: "free" }), submit({ stream: `bulk-${round}`, tier: "bulk" })]
          : []),
      );
    // Both slots always busy, each chunk 40 ms: the older of the two running batches ends, then new work comes.
    for (let round = 0; round < 300; round += 1) {
      waiting(round);
      harness.advance(20);
      const sent = harness.batches[round + 1];
      if (sent !== undefined) harness.send(done(sent.workerId, sent.batch));
    }
    const served = harness.batches.filter(({ batch }) => batch.reserved !== true);
    const of = (tier: string): number => harness.dispatched().filter((name) => name.startsWith(tier)).length;
    expect(of("free")).toBeGreaterThan(0.08 * served.length);
    expect(of("bulk")).toBeGreaterThan(0.08 * served.length);
    expect(of("live")).toBeGreaterThan(0.6 * harness.batches.length);
  });
});
