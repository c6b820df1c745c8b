import { beforeEach, describe, expect, it } from "vitest";
import type { SpanBatch } from "#protocol/bus/span-stream";
import type { Bus } from "../bus/bus.js";
import { VirtualClock } from "../clock.js";
import { GATHER_MS, storeSpans, MAX_HELD_SPANS, spansAreStored } from "./stored-spans.js";
import type { FinishedSpan, Tracing } from "./span.js";
import { joinTrace } from "./traceparent.js";

let clock: VirtualClock;
let sent: SpanBatch[];
let isConnected: boolean;
let dropped: number;
let connect: () => Promise<void>;
let tracing: Tracing;
let isClosed: boolean;

const span = (change: Partial<FinishedSpan> = {}): FinishedSpan => ({
  ...{
    name: "speak",
    kind: "internal",
    context: joinTrace(undefined),
    startMs: 1,
    endMs: 2,
    failed: false,
    attributes: { "parley.model": "s1" },
  },
  ...change,
});

beforeEach(() => {
  [clock, sent, isConnected, dropped, isClosed] = [new VirtualClock(), [], true, 0, false];
  const bus = {
    publish: (_subject: string, message: object) => void sent.push(message as SpanBatch),
    isConnected: () => isConnected,
    close: async () => {
      isClosed = true;
    },
  } as Partial<Bus> as Bus;
  let opened: (bus: Bus) => void = () => undefined;
  const connecting = new Promise<Bus>((resolve) => (opened = resolve));
  connect = async () => {
    opened(bus);
    await connecting;
  };
  tracing = storeSpans({
    connecting,
    role: "edge",
    memberId: "edge-1",
    clock,
    onDropped: (count) => (dropped += count),
  });
});

const count = (): number => sent.reduce((sum, { spans }) => sum + spans.length, 0);

describe("spans for the analytics engine", () => {
  it("go together after a short while, with whose they are", async () => {
    await connect();
    const one = span();
    tracing.record(one);
    tracing.record(span({ context: { ...joinTrace(undefined), sampled: false } }));
    tracing.record(span());
    expect(sent).toEqual([]);
    clock.advance(GATHER_MS);
    expect(sent).toHaveLength(1);
    const { traceId, spanId } = one.context;
    const { kind, name, startMs, endMs, failed, attributes } = one;
    expect(sent[0]).toMatchObject({ role: "edge", memberId: "edge-1" });
    expect(sent[0]?.spans).toHaveLength(2);
    expect(sent[0]?.spans[0]).toEqual({
      traceId,
      spanId,
      parentSpanId: null,
      kind,
      name,
      startMs,
      endMs,
      failed,
      attributes,
    });
  });

  it("wait while the bus is away, as many as there is room for", async () => {
    await connect();
    isConnected = false;
    for (let index = 0; index < MAX_HELD_SPANS + 5; index++) tracing.record(span());
    clock.advance(GATHER_MS * 10);
    expect([count(), dropped]).toEqual([0, 5]);
    isConnected = true;
    clock.advance(GATHER_MS);
    expect([count(), dropped]).toEqual([MAX_HELD_SPANS, 5]);
    expect(Math.max(...sent.map(({ spans }) => spans.length))).toBeLessThan(1000);
  });

  it("are sent when the connection stands, and at the end", async () => {
    tracing.record(span());
    clock.advance(GATHER_MS);
    expect(count()).toBe(0);
    await connect();
    await Promise.resolve();
    expect(count()).toBe(1);
    tracing.record(span());
    await tracing.close();
    expect([count(), isClosed]).toEqual([2, true]);
  });

  it("do not hold up the end when there never was a connection", async () => {
    tracing.record(span());
    const closing = tracing.close();
    clock.advance(2000);
    await closing;
    expect(count()).toBe(0);
  });

  it("are kept where there is a server for them, or where that is asked for", () => {
    const kept = (PARLEY_SPANS: "auto" | "on" | "off", CLICKHOUSE_URL: string | null): boolean =>
      spansAreStored({ PARLEY_SPANS, CLICKHOUSE_URL });
    expect([kept("auto", null), kept("auto", "http://c"), kept("on", null), kept("off", "http://c")]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
