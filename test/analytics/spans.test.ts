import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { clickHouseEngine } from "#control-plane/analytics/clickhouse";
import type { AnalyticsEngine } from "#control-plane/analytics/engine";
import { migrateAnalytics } from "#control-plane/analytics/migrations";
import { ingestSpans } from "#control-plane/analytics/span-ingestion";
import { insertSpans, readTrace } from "#control-plane/analytics/span-table";
import { noTelemetry } from "#control-plane/telemetry/control-telemetry";
import { type StoredSpan, type SpanBatch, type SpanRecord, spansSubject } from "#protocol/bus/span-stream";
import { silentLog } from "../control-plane/databases.js";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { hasChdb } from "./chdb-present.js";
import { serveClickHouse } from "./clickhouse-server.js";

const SPANS = 2000;
const KILLS = 2;
const nowMs = Date.now();
const hex = (number: number, length: number): string => number.toString(16).padStart(length, "0");

function span(index: number, change: Partial<SpanRecord> = {}): SpanRecord {
  const times = { startMs: nowMs + index + 0.125, endMs: nowMs + index + 5.5, failed: index % 10 === 0 };
  const place = {
    traceId: hex(1 + (index % 40), 32),
    spanId: hex(index + 1, 16),
    parentSpanId: index < 40 ? null : hex((index % 40) + 1, 16),
  };
  return {
    ...place,
    name: "speak chunk",
    kind: "consumer",
    ...times,
    attributes: { "parley.model": "s1", "parley.attempt": 1 },
    ...change,
  };
}

const batch = (spans: SpanRecord[]): SpanBatch => ({ role: "worker", memberId: "worker-1", spans });

describe.skipIf(!hasChdb())("spans on their way from the bus to ClickHouse", () => {
  let nats: ExternalServer;
  let clickHouse: Awaited<ReturnType<typeof serveClickHouse>>;
  let engine: AnalyticsEngine;
  let bus: Bus;
  const children = new Set<ChildProcess>();
  beforeAll(async () => {
    [nats, clickHouse] = await Promise.all([startNats(), serveClickHouse()]);
    engine = clickHouseEngine(clickHouse.url);
    await migrateAnalytics(engine);
    bus = await connectNats({ url: nats.url, name: "edge", log: silentLog });
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await bus.close();
    await engine.close();
    await clickHouse.stop();
    await nats.stop();
  });

  const startConsumer = async (onInsert: (count: number, child: ChildProcess) => void): Promise<void> => {
    const child = fork(new URL("./consumer-process.js", import.meta.url), [nats.url, clickHouse.url, "spans"]);
    children.add(child);
    child.on("message", ({ count }: { count: number }) => onInsert(count, child));
    await once(child, "message");
  };
  const totals = async (): Promise<number[]> => {
    const [row] = await engine.query(
      "SELECT count() AS spans, countIf(failed) AS failed, sum(duration_us) AS us FROM parley_spans FINAL",
      {},
    );
    const { spans, failed, us } = row as Record<string, unknown>;
    return [spans, failed, us].map(Number);
  };

  it("arrive exactly once in effect, though each came up to three times and consumers were killed", async () => {
    let inserted = 0;
    let kills = 0;
    let replacing: Promise<void> = Promise.resolve();
    const onInsert = (count: number, child: ChildProcess): void => {
      inserted += count;
      if (kills >= KILLS || inserted < (kills + 1) * 600) return;
      kills++;
      child.kill("SIGKILL");
      replacing = replacing.then(() => startConsumer(onInsert));
    };
    await Promise.all([startConsumer(onInsert), startConsumer(onInsert)]);
    const all = Array.from({ length: SPANS }, (_, index) => span(index));
    for (let first = 0; first < SPANS; first += 10) {
      bus.publish(spansSubject, batch(all.slice(first, first + 10)));
      // Again at once, and again later in other company.
      if (first % 20 === 0) bus.publish(spansSubject, batch(all.slice(first, first + 10)));
      if (first % 30 === 0)
        bus.publish(spansSubject, batch(all.slice(Math.floor(first / 2), Math.floor(first / 2) + 15)));
      if (first % 200 === 0) await bus.flush();
    }
    await until(async () => (await totals())[0] === SPANS, { withinMs: 90_000, what: "all spans to arrive" });
    expect(await totals()).toEqual([SPANS, SPANS / 10, SPANS * 5375]);
    await replacing;
    expect(kills).toBe(KILLS);
    for (const child of children) child.kill("SIGKILL");
    // What nobody acknowledged comes once more, to whoever is next.
    let again = 0;
    const next = ingestSpans({
      bus,
      engine,
      log: silentLog,
      telemetry: { ...noTelemetry, analyticsSpans: (count) => (again += count) },
      lingerMs: 1,
    });
    bus.publish(spansSubject, batch([span(SPANS)]));
    await until(async () => again > 0, { withinMs: 30_000, what: "the last span" });
    await until(async () => (await totals())[0] === SPANS + 1, { withinMs: 30_000, what: "the last span to be read" });
    await next.stop();
  }, 180_000);

  it("are read back as they were, in order, and without what has no place there", async () => {
    const strange = { "parley.worker": "w", "parley.text": "canary", "http.request.header.authorization": "canary" };
    const next = ingestSpans({ bus, engine, log: silentLog, telemetry: noTelemetry, lingerMs: 1 });
    await next.ready;
    const traceId = hex(0xabc, 32);
    bus.publish(spansSubject, { role: "edge", memberId: "edge", spans: "canary" });
    bus.publish(
      spansSubject,
      batch([
        span(5, { traceId, attributes: strange as SpanRecord["attributes"] }),
        span(4, { traceId, spanId: hex(4, 16) }),
      ]),
    );
    await until(async () => (await readTrace(engine, traceId)).length === 2, { withinMs: 30_000, what: "the trace" });
    const [first, second] = await readTrace(engine, traceId);
    expect(first).toMatchObject({
      spanId: hex(4, 16),
      parentSpanId: null,
      attributes: { "parley.model": "s1", "parley.attempt": "1" },
    });
    const expected: StoredSpan = {
      ...span(5, { traceId }),
      role: "worker",
      memberId: "worker-1",
      attributes: { "parley.worker": "w" },
    };
    expect(second).toEqual({
      ...expected,
      startMs: expect.closeTo(expected.startMs, 2),
      endMs: expect.closeTo(expected.endMs, 2),
    });
    await next.stop();
  }, 60_000);

  it("go after two weeks", async () => {
    const traceId = hex(0xdef, 32);
    const old = nowMs - 20 * 86_400_000;
    await insertSpans(engine, [
      { ...span(1, { traceId }), role: "edge", memberId: "edge" },
      { ...span(2, { traceId, startMs: old, endMs: old + 1 }), role: "edge", memberId: "edge" },
    ]);
    await engine.command("OPTIMIZE TABLE parley_spans FINAL");
    expect((await readTrace(engine, traceId)).map(({ spanId }) => spanId)).toEqual([hex(2, 16)]);
  });
});
