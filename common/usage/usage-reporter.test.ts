import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { type OpenUsage, openUsageBucket } from "#protocol/bus/open-usage";
import { decodeMsgpack } from "#protocol/msgpack";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { UsageReporter } from "./usage-reporter.js";

const record = (usageId: string, audioMs: number, outcome: UsageRecord["outcome"] = "partial"): UsageRecord => ({
  usageId,
  teamId: "t",
  keyId: "k",
  route: "r",
  model: "s1",
  characters: audioMs,
  audioMs,
  firstAudioMs: 1,
  totalMs: 1,
  outcome,
  traceId: "t",
  finishedAtMs: 0,
});

function makeReporter() {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const reporter = new UsageReporter({
    bus,
    clock,
    log: createLogger("test", "fatal"),
    owner: { id: "edge-1", epoch: "e" },
  });
  const bucket = bus.objects(openUsageBucket);
  const pass = async (durationMs: number): Promise<void> => {
    clock.advance(durationMs);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  const stored = async (): Promise<[string, number][] | null> => {
    const bytes = await bucket.get("edge-1.e");
    return bytes === null
      ? null
      : (decodeMsgpack(bytes) as OpenUsage).records.map(({ usageId, audioMs }) => [usageId, audioMs]);
  };
  return { bus, clock, reporter, pass, stored };
}

describe("the report of open requests", () => {
  it("has within a second what each was given, and nothing of those that got nothing or have ended", async () => {
    const { bus, reporter, pass, stored } = makeReporter();
    let givenMs = 0;
    const end = reporter.begin(() => (givenMs === 0 ? null : record("a", givenMs)));
    reporter.begin(() => null);
    await pass(1000);
    expect(await stored()).toBeNull();
    givenMs = 500;
    await pass(1000);
    expect(await stored()).toEqual([["a", 500]]);
    givenMs = 900;
    reporter.begin(() => record("b", 1));
    await pass(1000);
    expect(await stored()).toEqual([
      ["a", 900],
      ["b", 1],
    ]);
    end(record("a", 950, "completed"));
    expect(bus.published).toEqual([{ subject: usageSubject, message: record("a", 950, "completed") }]);
    await pass(1000);
    expect(await stored()).toEqual([["b", 1]]);
  });

  it("publishes what was given nothing a moment later, together, or when it is closed", async () => {
    const { bus, reporter, pass } = makeReporter();
    const published = (): string[] => bus.published.map(({ message }) => (message as UsageRecord).usageId);
    reporter.begin(() => null)(record("a", 0, "failed"));
    await pass(100);
    reporter.begin(() => null)(record("b", 0, "failed"));
    reporter.begin(() => null)(record("c", 1, "completed"));
    await pass(99);
    expect(published()).toEqual(["c"]);
    await pass(1);
    expect(published()).toEqual(["c", "a", "b"]);
    reporter.begin(() => null)(record("d", 0, "failed"));
    await reporter.close();
    expect(published()).toEqual(["c", "a", "b", "d"]);
  });

  it("goes when the last request has ended, and comes again with the next", async () => {
    const { reporter, pass, stored } = makeReporter();
    reporter.begin(() => record("a", 1))(record("a", 1, "failed"));
    const end = reporter.begin(() => record("b", 1));
    await pass(1000);
    end(record("b", 2, "cancelled"));
    await pass(1000);
    expect(await stored()).toBeNull();
    reporter.begin(() => record("c", 1));
    await pass(1000);
    expect(await stored()).toEqual([["c", 1]]);
    await reporter.close();
    expect(await stored()).toEqual([["c", 1]]);
  });

  it("is written when the bus is back, and outlives its absence", async () => {
    const { bus, reporter, pass, stored } = makeReporter();
    bus.disconnect();
    reporter.begin(() => record("a", 1));
    await pass(3000);
    bus.reconnect();
    await pass(1000);
    expect(await stored()).toEqual([["a", 1]]);
  });
});
