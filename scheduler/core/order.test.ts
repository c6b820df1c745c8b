import { describe, expect, it } from "vitest";
import { served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

/** One slot, kept busy by a chunk of stream "busy" so that what follows has to queue. */
function busyWorker(): CoreHarness {
  const harness = new CoreHarness();
  harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) }, submit({ stream: "busy" }));
  return harness;
}

describe("the order of service", () => {
  it("sends to an idle worker at once", () => {
    const harness = busyWorker();
    expect(harness.dispatched()).toEqual(["busy/0"]);
    expect(harness.batches[0]?.batch).toMatchObject({ type: "batch", schedulerId: "scheduler-1", model: "voice" });
  });

  it("serves first chunks, then by deadline, then the free tier and bulk, then those with sound in hand", () => {
    const harness = busyWorker();
    harness.send(
      submit({ stream: "ahead", index: 2, slackMs: 60_000 }),
      submit({ stream: "bulk", tier: "bulk" }),
      submit({ stream: "free", tier: "free" }),
      submit({ stream: "later", index: 1, slackMs: 900 }),
      submit({ stream: "sooner", index: 1, slackMs: 300 }),
      submit({ stream: "new" }),
    );
    expect(harness.drainInOrder()).toEqual(["busy/0", "new/0", "sooner/1", "later/1", "free/0", "bulk/0", "ahead/2"]);
  });

  it("lets a free stream with sound in hand yield too", () => {
    const harness = busyWorker();
    harness.send(
      submit({ stream: "rich", tier: "free", index: 1, slackMs: 5000 }),
      submit({ stream: "bulk", tier: "bulk" }),
    );
    expect(harness.drainInOrder()).toEqual(["busy/0", "bulk/0", "rich/1"]);
  });

  it("keeps the chunks of one stream in order, over models too", () => {
    const harness = new CoreHarness();
    harness.send(
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", models: [served("voice"), served("other")] }) },
      submit({ stream: "busy" }),
    );
    harness.send(
      submit({ stream: "a", index: 2 }),
      submit({ stream: "a", index: 1, model: "other", slackMs: 900 }),
      submit({ stream: "a", index: 0 }),
    );
    expect(harness.drainInOrder()).toEqual(["busy/0", "a/0", "a/1", "a/2"]);
  });

  it("reports how long each chunk queued", () => {
    const harness = busyWorker();
    harness.send(submit({ stream: "a" }));
    harness.advance(25);
    harness.finish();
    expect(harness.batches[1]?.batch.chunks[0]?.queuedUs).toBe(25_000);
  });

  it("batches what has queued where the model batches, and only there", () => {
    const harness = new CoreHarness();
    const models = [served("voice", 4, "cuda"), served("single")];
    harness.send(
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", models }) },
      submit({ stream: "busy", slackMs: 5000 }),
    );
    for (const stream of ["a", "b", "c", "d", "e"]) harness.send(submit({ stream, slackMs: 5000 }));
    for (const stream of ["f", "g"]) harness.send(submit({ stream, model: "single", slackMs: 6000 }));
    harness.drainInOrder();
    expect(harness.batches.map(({ batch }) => batch.chunks.length)).toEqual([1, 4, 1, 1, 1]);
  });

  it("spreads work over workers and uses the specialised ones first", () => {
    const harness = new CoreHarness();
    const both = [served("voice"), served("other")];
    harness.send(
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "general", models: both }) },
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "special-1", slots: 2 }) },
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "special-2", slots: 2 }) },
    );
    for (const stream of ["a", "b", "c", "d", "e"]) harness.send(submit({ stream }));
    expect(harness.batches.map(({ workerId }) => workerId)).toEqual([
      "special-1",
      "special-2",
      "special-1",
      "special-2",
      "general",
    ]);
  });
});
