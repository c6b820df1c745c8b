import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { webhookTiming } from "#protocol/webhooks";
import type { AttemptOutcome, TakenDelivery } from "./delivery.js";
import { LEASE_MS, WebhookDispatcher } from "./dispatcher.js";
import { MemoryBook } from "./testing/memory-book.js";
import type { DispatchLimits } from "./under-way.js";

const EPOCH_MS = Date.UTC(2026, 0, 1);
const ok: AttemptOutcome = { statusCode: 200, error: null };
const broken: AttemptOutcome = { statusCode: 500, error: "The endpoint answered 500" };
const hung: AttemptOutcome = { statusCode: null, error: "timeout" };

/** A receiver's behaviour: what it answers, and after how long. */
type Script = (delivery: TakenDelivery) => { outcome: AttemptOutcome; afterMs: number };

class Bench {
  readonly clock = new VirtualClock();
  readonly book = new MemoryBook();
  readonly sent: { id: string; atMs: number; body: string }[] = [];
  readonly dispatchers: WebhookDispatcher[] = [];
  /** How far the time of day was set since the start. */
  setMs = 0;
  constructor(private readonly script: Script) {}

  start(limits?: DispatchLimits): WebhookDispatcher {
    const dispatcher = new WebhookDispatcher({
      ...{ book: this.book, clock: this.clock, limits, log: pino({ level: "silent" }) },
      now: () => new Date(EPOCH_MS + this.clock.nowMs() + this.setMs),
      send: (delivery) => {
        this.sent.push({ id: delivery.id, atMs: this.clock.nowMs(), body: delivery.body });
        const { outcome, afterMs } = this.script(delivery);
        return new Promise((resolve) => this.clock.after(afterMs, () => resolve(outcome)));
      },
    });
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  add(sessionId: string, endpoint: string, teamId?: string): void {
    this.book.add({
      sessionId,
      endpoint,
      atMs: EPOCH_MS + this.clock.nowMs(),
      ...(teamId === undefined ? {} : { teamId }),
    });
    for (const dispatcher of this.dispatchers) dispatcher.wake();
  }

  /** Moves time on in small steps, letting what each sets off run to its end. */
  async run(durationMs: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      await settle();
      this.clock.advance(Math.min(stepMs, durationMs - passed));
    }
    await settle();
  }

  timesOf(id: string): number[] {
    return this.sent.filter((entry) => entry.id === id).map(({ atMs }) => atMs);
  }
}

/** Lets every promise that can go on now go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

let bench: Bench | null = null;
const start = (script: Script, limits?: DispatchLimits): Bench => {
  bench = new Bench(script);
  bench.start(limits);
  return bench;
};
afterEach(() => bench?.dispatchers.forEach((dispatcher) => dispatcher.stop()));

describe("one delivery", () => {
  it("is attempted once when it succeeds", async () => {
    const { book } = start(() => ({ outcome: ok, afterMs: 20 }));
    bench?.add("s", "a");
    await bench?.run(30_000);
    expect(bench?.sent).toHaveLength(1);
    expect(book.deliveries[0]).toMatchObject({ status: "delivered", attempts: 1 });
  });

  it("is attempted three times, one and five seconds after the end of the one before, with the same body, then dropped", async () => {
    start(() => ({ outcome: broken, afterMs: 100 }));
    bench?.add("s", "a");
    await bench?.run(60_000);
    const [first = 0, second = 0, third = 0, ...more] = bench?.timesOf("a/s/1") ?? [];
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThanOrEqual(100 + webhookTiming.retryDelaysMs[0]);
    expect(second - first).toBeLessThanOrEqual(100 + webhookTiming.retryDelaysMs[0] + 100);
    expect(third - second).toBeGreaterThanOrEqual(100 + webhookTiming.retryDelaysMs[1]);
    expect(third - second).toBeLessThanOrEqual(100 + webhookTiming.retryDelaysMs[1] + 100);
    expect(new Set(bench?.sent.map(({ body }) => body)).size).toBe(1);
    expect(bench?.book.deliveries[0]).toMatchObject({ status: "failed", attempts: 3 });
  });

  it("is delivered by a retry", async () => {
    start(({ attempts }) => ({ outcome: attempts < 2 ? hung : ok, afterMs: attempts < 2 ? 10_000 : 50 }));
    bench?.add("s", "a");
    await bench?.run(40_000);
    expect(bench?.book.deliveries[0]).toMatchObject({ status: "delivered", attempts: 3 });
    expect(bench?.book.finished.map(({ durationMs }) => durationMs)).toEqual([10_000, 10_000, 50]);
  });
});

describe("a clock that is set", () => {
  const HOUR_MS = 3_600_000;

  it.each([
    ["an hour ahead", HOUR_MS],
    ["an hour back", -HOUR_MS],
  ])("%s makes a second attempt at most minutes late, and the log of it no longer", async (_, setMs) => {
    const { book } = start(({ attempts }) => ({ outcome: attempts === 0 ? broken : ok, afterMs: 100 }));
    bench?.add("s", "a");
    await bench?.run(200);
    if (bench !== null) bench.setMs = setMs;
    await bench?.run(120_000);
    expect(book.deliveries[0]).toMatchObject({ status: "delivered", attempts: 2 });
    expect(book.finished.map(({ durationMs }) => durationMs)).toEqual([100, 100]);
  });
});

describe("order and independence", () => {
  it("keeps the order of a session at an endpoint, through retries, and holds nobody else up", async () => {
    start(({ endpoint, attempts, id }) => ({
      outcome: endpoint === "slow" && id.endsWith("/1") && attempts < 2 ? broken : ok,
      afterMs: 10,
    }));
    for (let event = 0; event < 3; event++) for (const endpoint of ["slow", "fast"]) bench?.add("s", endpoint);
    bench?.add("other", "slow");
    await bench?.run(30_000);
    const order = (endpoint: string): string[] => [
      ...new Set(bench?.sent.filter(({ id }) => id.startsWith(`${endpoint}/s/`)).map(({ id }) => id)),
    ];
    expect(order("slow")).toEqual(["slow/s/1", "slow/s/2", "slow/s/3"]);
    expect(order("fast")).toEqual(["fast/s/1", "fast/s/2", "fast/s/3"]);
    const second = bench?.timesOf("slow/s/2")[0] ?? 0;
    expect(second).toBeGreaterThan(6000);
    expect(bench?.timesOf("fast/s/3")[0]).toBeLessThan(500);
    expect(bench?.timesOf("slow/other/1")[0]).toBeLessThan(200);
  });

  it("goes on with the next event when one is dropped", async () => {
    start(({ id }) => ({ outcome: id.endsWith("/1") ? broken : ok, afterMs: 10 }));
    bench?.add("s", "a");
    bench?.add("s", "a");
    await bench?.run(20_000);
    expect(bench?.book.deliveries.map(({ status }) => status)).toEqual(["failed", "delivered"]);
  });

  it("keeps healthy receivers apart from many that hang", async () => {
    const limits = { total: 100, perEndpoint: 10, perTeam: 60, takeAtOnce: 8 };
    start(
      ({ endpoint }) =>
        endpoint.startsWith("hang") ? { outcome: hung, afterMs: 10_000 } : { outcome: ok, afterMs: 5 },
      limits,
    );
    for (let round = 0; round < 100; round++) {
      for (let receiver = 0; receiver < 5; receiver++) bench?.add(`s${round}`, `hang${receiver}`, "unlucky");
      bench?.add(`s${round}`, "healthy", "lucky");
      await bench?.run(100);
    }
    const late = bench?.sent
      .filter(({ id }) => id.startsWith("healthy"))
      .map(({ id, atMs }) => atMs - Number(id.split("/s")[1]?.split("/")[0]) * 100);
    expect(late).toHaveLength(100);
    expect(Math.max(...(late ?? []))).toBeLessThan(1000);
  });
});

describe("when something dies", () => {
  it("takes up after the lease what another process left behind", async () => {
    start(() => ({ outcome: ok, afterMs: 10_000 }));
    bench?.add("s", "a");
    await bench?.run(1000);
    bench?.dispatchers[0]?.stop();
    bench?.start();
    await bench?.run(LEASE_MS - 2000);
    expect(bench?.sent).toHaveLength(1);
    await bench?.run(20_000);
    expect(bench?.sent).toHaveLength(2);
    expect(bench?.book.deliveries[0]).toMatchObject({ status: "delivered", attempts: 1 });
  });

  it("does not book what came after the lease was lost to another", async () => {
    start(() => ({ outcome: ok, afterMs: bench?.sent.length === 1 ? LEASE_MS + 5000 : 10 }));
    bench?.add("s", "a");
    await bench?.run(LEASE_MS + 10_000);
    expect(bench?.sent).toHaveLength(2);
    expect(bench?.book.finished).toHaveLength(1);
  });

  it("waits for the database with what it has done, and loses nothing", async () => {
    start(() => ({ outcome: ok, afterMs: 100 }));
    bench?.add("s", "a");
    await bench?.run(50);
    if (bench !== null) bench.book.isAway = true;
    await bench?.run(5000);
    if (bench !== null) bench.book.isAway = false;
    bench?.add("s", "a");
    await bench?.run(3000);
    expect(bench?.sent).toHaveLength(2);
    expect(bench?.book.deliveries.every(({ status }) => status === "delivered")).toBe(true);
  });

  it("drains: finishes what is under way and begins nothing", async () => {
    start(() => ({ outcome: ok, afterMs: 5000 }));
    bench?.add("s", "a");
    await bench?.run(100);
    let isDrained = false;
    const draining = bench?.dispatchers[0]?.drain().then(() => {
      isDrained = true;
    });
    bench?.add("t", "a");
    await bench?.run(4000);
    expect(isDrained).toBe(false);
    await bench?.run(2000);
    await draining;
    expect(bench?.sent).toHaveLength(1);
    expect(bench?.book.deliveries.map(({ status }) => status)).toEqual(["delivered", "pending"]);
  });
});
