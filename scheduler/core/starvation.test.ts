import { describe, expect, it } from "vitest";
import { submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

/**
 * Serves for a while with one slot and a new live stream for every chunk that was served; gives what was dispatched.
 */
function underFullLoad(chunks: number, arrivals: (round: number) => ReturnType<typeof submit>[]): CoreHarness {
  const harness = new CoreHarness();
  harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) });
  for (let round = 0; round < chunks; round += 1) {
    harness.send(...arrivals(round));
    harness.advance(40);
    harness.finish();
  }
  return harness;
}

const startingWith = (harness: CoreHarness, prefix: string): number =>
  harness.dispatched().filter((name) => name.startsWith(prefix)).length;

describe("nobody starves", () => {
  it("gives the free tier and bulk their floor under an endless stream of new listeners", () => {
    const harness = underFullLoad(400, (round) => [
      submit({ stream: `live-${round}` }),
      submit({ stream: `live-again-${round}` }),
      submit({ stream: `free-${round}`, tier: "free" }),
      submit({ stream: `bulk-${round}`, tier: "bulk" }),
    ]);
    expect(startingWith(harness, "free-")).toBeGreaterThanOrEqual(36);
    expect(startingWith(harness, "bulk-")).toBeGreaterThanOrEqual(36);
    expect(startingWith(harness, "live-")).toBeGreaterThanOrEqual(200);
  });

  it("lets running streams go on under an endless stream of new ones", () => {
    const harness = underFullLoad(200, (round) => [
      submit({ stream: `new-${round}` }),
      submit({ stream: `running-${round}`, index: 1, slackMs: 100 }),
    ]);
    expect(startingWith(harness, "running-")).toBeGreaterThanOrEqual(90);
  });

  it("serves a single bulk chunk within a bounded number of others", () => {
    const harness = underFullLoad(60, (round) => [
      submit({ stream: `live-${round}` }),
      submit({ stream: `again-${round}` }),
      ...(round === 0 ? [submit({ stream: "patient", tier: "bulk" })] : []),
    ]);
    const position = harness.dispatched().indexOf("patient/0");
    expect(position).toBeGreaterThan(0);
    expect(position).toBeLessThan(15);
  });

  it("serves a stream that had sound in hand before it falls silent", () => {
    const harness = underFullLoad(150, (round) => [
      submit({ stream: `bulk-${round}`, tier: "bulk" }),
      submit({ stream: `bulk-again-${round}`, tier: "bulk" }),
      ...(round === 0 ? [submit({ stream: "rich", index: 5, slackMs: 3000 })] : []),
    ]);
    const position = harness.dispatched().indexOf("rich/5");
    expect(position).toBeGreaterThan(0);
    expect(position * 40).toBeGreaterThanOrEqual(1900);
    expect(position * 40).toBeLessThan(3000);
  });

  it("does not let one stream with a thousand chunks hold up the others", () => {
    const harness = new CoreHarness({ policy: { queueChunks: 5000 } });
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) });
    for (let index = 0; index < 1000; index += 1) harness.send(submit({ stream: "book", index, tier: "bulk" }));
    harness.send(submit({ stream: "page", tier: "bulk" }));
    expect(harness.drainInOrder().indexOf("page/0")).toBeLessThan(4);
  });
});
