import { expect, it } from "vitest";
import { done, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

const SERVICE_MS = 20;
const MOST_WAIT_MS = 500;

/** A worker with one slot of whose chunks the scheduler knows how long they take. */
function measuredWorker(): CoreHarness {
  const harness = new CoreHarness();
  harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) });
  for (let count = 0; count < 50; count++) harness.send(submit({ stream: `earlier-${count}` }));
  drain(harness);
  return harness;
}

/** Finishes what is under way and what follows, one after the other; gives the streams and when each was finished. */
function drain(harness: CoreHarness): { streamId: string; finishedMs: number }[] {
  const finished = [];
  for (let sent = harness.batches.shift(); sent !== undefined; sent = harness.batches.shift()) {
    const message = done(sent.workerId, sent.batch);
    harness.advance(SERVICE_MS);
    for (const outcome of message.outcomes) outcome.engineUs = SERVICE_MS * 1000;
    harness.send(message);
    finished.push({ streamId: message.outcomes[0]?.streamId ?? "", finishedMs: harness.nowMs });
  }
  return finished;
}

it.each([1, 200])("of %i streams at once, all begin within the time that they wait or are refused at once", (count) => {
  const harness = measuredWorker();
  const startMs = harness.nowMs;
  const streams = Array.from({ length: count }, (_, index) => `new-${index}`);
  harness.send(...streams.map((stream) => submit({ stream, mostWaitMs: MOST_WAIT_MS })));
  const refused = harness.verdicts.filter(({ type }) => type === "refused");
  for (const verdict of refused)
    expect(verdict).toMatchObject({ error: { code: "overloaded", retryAfterMs: expect.any(Number) } });
  const begun = drain(harness);
  expect(begun.length + refused.length).toBe(count);
  expect(Math.max(...begun.map(({ finishedMs }) => finishedMs - startMs))).toBeLessThanOrEqual(MOST_WAIT_MS);
  expect(begun.length).toBeGreaterThanOrEqual(Math.min(count, 0.7 * (MOST_WAIT_MS / SERVICE_MS)));
});

it("a stream that asks for nothing else may wait for as long as the scheduler lets it", () => {
  const harness = measuredWorker();
  harness.send(...Array.from({ length: 200 }, (_, index) => submit({ stream: `file-${index}` })));
  expect(harness.verdicts.filter(({ type }) => type === "refused")).toEqual([]);
  expect(drain(harness)).toHaveLength(200);
});
