import { describe, expect, it } from "vitest";
import { submit } from "../testing/fixtures.js";
import { WorkQueue } from "./work-queue.js";
import { waitingChunk, type WaitingChunk } from "./waiting-chunk.js";

let sequence = 0;

function waiting(facts: Parameters<typeof submit>[0], nowMs = 0): WaitingChunk {
  return waitingChunk(submit(facts), { sequence: sequence++, serviceMs: 0, nowMs });
}

describe("the queue", () => {
  it("lets a stream stand in line once, with its lowest chunk, in whatever order chunks came", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    const chunks = [2, 0, 1].map((index) => waiting({ stream: "a", index }));
    for (const chunk of chunks) queue.add(chunk, 0);
    expect(queue.size).toBe(3);
    const order: number[] = [];
    for (
      let next = queue.model("voice")?.lookAhead("first", 9)[0];
      next !== undefined;
      next = queue.model("voice")?.lookAhead("first", 9)[0]
    ) {
      expect(queue.model("voice")?.lookAhead("first", 9)).toHaveLength(1);
      order.push(next.chunk.chunkIndex);
      queue.remove(next, 0);
    }
    expect(order).toEqual([0, 1, 2]);
    expect(queue.size).toBe(0);
  });

  it("replaces a chunk by its higher attempt", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    queue.add(waiting({ stream: "a" }), 0);
    queue.add(waiting({ stream: "a", attempt: 2 }), 0);
    expect(queue.size).toBe(1);
    expect(queue.attemptOf("a", 0)).toBe(2);
    expect(queue.model("voice")?.head("first")?.chunk.attempt).toBe(2);
  });

  it("moves a stream with sound in hand into its lane when the sound runs low", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    queue.add(waiting({ stream: "a", index: 3, slackMs: 5000 }), 0);
    const line = queue.model("voice");
    line?.promote(3999);
    expect(line?.head("urgent")).toBeUndefined();
    line?.promote(4000);
    expect(line?.head("ahead")).toBeUndefined();
    expect(line?.head("urgent")?.chunk.chunkIndex).toBe(3);
  });

  it("counts the time that a chunk takes: a long one must start sooner", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    queue.add(
      waitingChunk(submit({ stream: "slow", index: 1, slackMs: 1500 }), { sequence: 0, serviceMs: 800, nowMs: 0 }),
      0,
    );
    queue.add(
      waitingChunk(submit({ stream: "quick", index: 1, slackMs: 900 }), { sequence: 1, serviceMs: 10, nowMs: 0 }),
      0,
    );
    expect(
      queue
        .model("voice")
        ?.lookAhead("urgent", 2)
        .map((one) => one.chunk.streamId),
    ).toEqual(["slow", "quick"]);
  });

  it("does not expect a stream's next chunk before the listener has heard this one", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    const first = waiting({ stream: "a", size: 100, slackMs: 200 });
    queue.add(first, 0);
    queue.add(waiting({ stream: "a", index: 1, slackMs: 200 }), 0);
    expect(queue.remove(first, 0)?.deadlineMs).toBe(4200);
    expect(queue.model("voice")?.head("ahead")?.chunk.chunkIndex).toBe(1);
  });

  it("drops a cancelled tail and keeps the rest", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    for (const index of [0, 1, 2, 3]) queue.add(waiting({ stream: "a", index }), 0);
    expect(queue.cancel({ streamId: "a", fromChunk: 2 }, 0).dropped.map((one) => one.chunk.chunkIndex)).toEqual([2, 3]);
    expect(queue.size).toBe(2);
    expect(queue.cancel({ streamId: "nobody", fromChunk: 0 }, 0)).toEqual({ dropped: [], next: null });
  });

  it("drops one chunk, and the next stands in line", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    for (const index of [0, 1, 2]) queue.add(waiting({ stream: "a", index }), 0);
    expect(queue.cancel({ streamId: "a", fromChunk: 1, toChunk: 1 }, 0).next).toBeNull();
    expect(queue.cancel({ streamId: "a", fromChunk: 0, toChunk: 0 }, 0).next?.chunk.chunkIndex).toBe(2);
    expect(
      queue
        .model("voice")
        ?.lookAhead("first", 9)
        .map((one) => one.chunk.chunkIndex),
    ).toEqual([2]);
    expect(queue.size).toBe(1);
  });

  it("looks past the first piece of a recording, the streams taking turns, and never past the first chunk of speech", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    for (const index of [0, 1, 2]) {
      for (const stream of ["a", "b"]) queue.add(waiting({ stream, index, task: "transcribe", tier: "bulk" }), 0);
      queue.add(waiting({ stream: "c", index, tier: "bulk" }), 0);
    }
    const names = (count: number) =>
      queue.lookAhead("voice", "bulk", count).map(({ chunk }) => `${chunk.streamId}${chunk.chunkIndex}`);
    expect(names(9)).toEqual(["a0", "b0", "c0", "a1", "b1", "a2", "b2"]);
    expect(names(4)).toEqual(["a0", "b0", "c0", "a1"]);
  });

  it("lets a recording come along as fast as it was spoken, so that others come in between", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    const hour = [0, 1].map((index) =>
      waiting({ stream: "hour", index, task: "transcribe", tier: "bulk", size: 2000, slackMs: 1000 }),
    );
    for (const piece of hour) queue.add(piece, 0);
    queue.add(waiting({ stream: "short", task: "transcribe", tier: "bulk", size: 300, slackMs: 1000 }, 10_000), 10_000);
    expect(queue.remove(hour[0]!, 0)?.deadlineMs).toBe(21_000);
    expect(
      queue
        .model("voice")
        ?.lookAhead("bulk", 2)
        .map((one) => one.chunk.streamId),
    ).toEqual(["short", "hour"]);
  });

  it("holds nothing back that is said live", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    const said = [0, 1].map((index) => waiting({ stream: "a", index, task: "transcribe", size: 2000, slackMs: 300 }));
    for (const piece of said) queue.add(piece, 0);
    expect(queue.remove(said[0]!, 0)?.deadlineMs).toBe(300);
  });

  it("drops everything of an edge and nothing else", () => {
    const queue = new WorkQueue({ yieldSlackMs: 1000 });
    queue.add(waiting({ stream: "a", edge: "edge-1" }), 0);
    queue.add(waiting({ stream: "b", edge: "edge-1", index: 1 }), 0);
    queue.add(waiting({ stream: "c", edge: "edge-2" }), 0);
    queue.dropEdge("edge-1");
    expect(queue.all().map((one) => one.chunk.streamId)).toEqual(["c"]);
    expect(queue.queuedOf("voice")).toBe(1);
    expect(queue.model("voice")?.totals.first).toEqual({ chunks: 1, size: 60 });
  });

  it("takes slack that is no number as none", () => {
    expect(waiting({ stream: "a", slackMs: Number.NaN }, 7).deadlineMs).toBe(7);
    expect(waiting({ stream: "a", slackMs: Number.POSITIVE_INFINITY }, 0).deadlineMs).toBe(3_600_000);
    expect(waiting({ stream: "a", slackMs: -1e9 }, 0).deadlineMs).toBe(-5000);
  });
});
