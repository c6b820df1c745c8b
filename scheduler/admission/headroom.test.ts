import { describe, expect, it } from "vitest";
import { done, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

/** A chunk of the fixtures sounds for 3.9 s: a slot that takes so long speaks ten streams as fast as they are played. */
const SERVICE_MS = 390;
const long = { size: 1000, isAll: true };

/** Workers of whose speed the scheduler knows, with nothing to do. */
function measured(slots: number, serviceMs = SERVICE_MS): CoreHarness {
  const harness = new CoreHarness();
  harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", slots: 1 }) });
  for (let count = 0; count < 60; count += 1) {
    harness.send(submit({ stream: `earlier-${count}` }));
    harness.advance(serviceMs);
    harness.finish();
  }
  harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", slots }) });
  harness.advance(60_000);
  harness.verdicts.length = 0;
  return harness;
}

/** Offers many long streams one after the other; gives how many are taken. */
function taken(harness: CoreHarness, facts: Partial<Parameters<typeof submit>[0]> = {}, name = "new"): number {
  const before = harness.verdicts.length;
  for (let count = 0; count < 60; count += 1)
    harness.send(submit({ stream: `${name}-${count}`, following: long, ...facts }));
  return 60 - (harness.verdicts.length - before);
}

describe("a scheduler takes streams", () => {
  it("up to what its workers speak as fast as it is played, and refuses the others at once", () => {
    const harness = measured(1);
    expect(taken(harness)).toBeGreaterThanOrEqual(7);
    expect(harness.verdicts.length).toBeGreaterThanOrEqual(50);
    expect(harness.verdicts[0]).toMatchObject({ error: { code: "overloaded", retryAfterMs: expect.any(Number) } });
    const [several, many] = [taken(measured(2)), taken(measured(4))];
    expect(several).toBeGreaterThanOrEqual(15);
    expect(several).toBeLessThanOrEqual(20);
    expect(many).toBeGreaterThanOrEqual(28);
    expect(many).toBeLessThanOrEqual(40);
  });

  it("says to edges that it is full though nothing waits for long", () => {
    const harness = measured(4);
    expect(harness.core.loads(harness.nowMs)[0]?.predictedWaitMs).toBe(0);
    taken(harness, { following: long });
    expect(harness.core.loads(harness.nowMs)[0]?.predictedWaitMs).toBeGreaterThan(0);
  });

  it("about as many as it says that it has room for", () => {
    for (const slots of [1, 2, 4]) {
      const harness = measured(slots);
      // Those asked for lately were like these.
      for (let count = 0; count < 40; count += 1) {
        harness.send(submit({ stream: `before-${count}`, following: long }));
        harness.advance(SERVICE_MS);
        harness.finish();
        harness.send({ type: "cancel", streamId: `before-${count}`, fromChunk: 0 });
      }
      harness.advance(1000);
      const room = harness.core.loads(harness.nowMs)[0]?.room;
      expect(room?.atOnce).toBe(slots);
      const streams = taken(harness);
      expect(room?.streams).toBeGreaterThanOrEqual(0.75 * streams);
      expect(room?.streams).toBeLessThanOrEqual(1.3 * streams);
      expect(harness.core.loads(harness.nowMs)[0]?.room).toMatchObject({ streams: 0, atOnce: 0 });
    }
  });

  it("says that it has room for one at least where nobody plays, however slow it is", () => {
    const harness = measured(1, 6000);
    expect(harness.core.loads(harness.nowMs)[0]?.room).toMatchObject({ streams: 1, atOnce: 1 });
  });

  it("again when those that it has are cancelled, or their edge is lost", () => {
    const harness = measured(4);
    const first = taken(harness);
    expect(taken(harness, {}, "again")).toBe(0);
    for (let count = 0; count < 60; count += 1)
      harness.send({ type: "cancel", streamId: `new-${count}`, fromChunk: 0 });
    harness.advance(1000);
    expect(taken(harness, {}, "third")).toBeGreaterThanOrEqual(first - 2);
    harness.send({ type: "edge-lost", ownerId: "edge-1" });
    harness.advance(1000);
    expect(taken(harness, {}, "fourth")).toBeGreaterThanOrEqual(first - 2);
  });

  it("besides any number of conversations that pause", () => {
    const harness = measured(4);
    for (let count = 0; count < 200; count += 1) {
      harness.send(submit({ stream: `paused-${count}`, following: { size: 0, isAll: false } }));
      harness.advance(100);
      harness.finish();
    }
    expect(harness.verdicts).toEqual([]);
    harness.advance(10_000);
    expect(taken(harness)).toBeGreaterThanOrEqual(28);
  });

  it("that are short more than that are long", () => {
    expect(taken(measured(4), { following: { size: 0, isAll: true } })).toBe(60);
    expect(taken(measured(4), { following: { size: 0, isAll: false } })).toBeLessThanOrEqual(40);
  });

  it("as long ones until it learns that no more text comes", () => {
    const harness = measured(4);
    const open = taken(harness, { following: { size: 0, isAll: false } });
    for (let count = 0; count < 60; count += 1) harness.send({ type: "text-ended", streamId: `new-${count}` });
    harness.advance(100);
    expect(taken(harness, {}, "again")).toBeGreaterThan(open / 3);
  });

  it("of the free tier on its floor beside as many live ones as there is room for", () => {
    const harness = measured(10);
    expect(taken(harness)).toBe(60);
    expect(taken(harness, {}, "more")).toBeGreaterThan(15);
    const free = taken(harness, { tier: "free" }, "free");
    expect(free).toBeGreaterThanOrEqual(5);
    expect(free).toBeLessThanOrEqual(12);
  });

  it("of conversations that were admitted before, and chunks of streams that another scheduler had", () => {
    const harness = measured(1);
    taken(harness);
    expect(taken(harness, { isAdmitted: true }, "reply")).toBe(60);
    harness.send(submit({ stream: "moved", index: 7 }));
    expect(harness.verdicts.some(({ streamId }) => streamId === "moved")).toBe(false);
  });

  it("of a team that asks for little beside one that floods", () => {
    const harness = measured(4);
    harness.send(submit({ stream: "early", teamId: "quiet" }));
    const flood = taken(harness, { teamId: "flood" }, "flood");
    expect(flood).toBeGreaterThanOrEqual(24);
    expect(taken(harness, { teamId: "flood" }, "more")).toBe(0);
    const quiet = taken(harness, { teamId: "quiet" }, "quiet");
    expect(quiet).toBeGreaterThanOrEqual(2);
    expect(quiet).toBeLessThanOrEqual(12);
    const alone = taken(measured(4), { teamId: "flood" });
    expect(alone).toBeGreaterThan(flood);
  });

  it("one at least, on a machine that is slower than speech", () => {
    const harness = measured(1, 6000);
    expect(taken(harness)).toBe(1);
  });

  it("no fewer for bulk work that it has not begun", () => {
    const [alone, harness] = [measured(4), measured(4)];
    taken(harness, { tier: "bulk" }, "book");
    expect(taken(harness)).toBeGreaterThanOrEqual(0.85 * taken(alone));
  });

  it("by the speed that it sees: of workers that have become faster, more", () => {
    const harness = measured(4);
    for (let count = 0; count < 400; count += 1) {
      harness.send(submit({ stream: `quick-${count}` }));
      harness.advance(SERVICE_MS / 3);
      const sent = harness.batches.at(-1);
      if (sent !== undefined) harness.send(done(sent.workerId, sent.batch));
    }
    harness.advance(60_000);
    expect(taken(harness)).toBe(60);
  });
});
