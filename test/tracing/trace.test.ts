import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEVELOPMENT_TEAM_ID } from "#control-plane/accounts/development";
import { traceReport } from "#protocol/traces";
import { encodeMsgpack } from "#protocol/msgpack";
import { WebSocket } from "ws";
import { connectNats } from "#common/bus/nats";
import { controlSubjects, type Reply, type TraceReply } from "#protocol/bus/control";
import type { StoredSpan } from "#protocol/bus/span-stream";
import { hasChdb } from "../analytics/chdb-present.js";
import { silentLog } from "../control-plane/databases.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { addTeamTo } from "../harness/team.js";
import { type Collector, type ReceivedSpan, startCollector } from "./collector.js";

const containsAll = (found: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((name) => found.includes(name));

/** Things that must never be told, planted wherever a request takes text. */
const canaries = [
  "canarytext",
  "canarytitle",
  "canarypath",
  "canaryquery",
  "canaryheader",
  "CANARYMETHOD",
  "canarykey",
  "canarymodel",
];

describe("traces of a cluster", () => {
  let collector: Collector;
  let cluster: TestCluster;
  beforeAll(async () => {
    collector = await startCollector();
    cluster = await startCluster({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, PARLEY_SPANS: "on" } });
  });
  afterAll(async () => {
    await cluster.stop();
    collector.stop();
  });

  const call = (
    path: string,
    options: { method?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<Response> =>
    fetch(`${cluster.baseUrl}${path}`, {
      method: options.method ?? (options.body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json", ...options.headers },
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
    });
  const spansOf = (traceId: string): ReceivedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  const whenThere = async (traceId: string, name: string): Promise<ReceivedSpan[]> => {
    await until(async () => spansOf(traceId).some((span) => span.name === name), {
      withinMs: 10_000,
      what: `the span ${name}`,
    });
    return spansOf(traceId);
  };
  const named = (spans: ReceivedSpan[], name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);

  it("make one request one trace: edge, scheduler, worker, inside the caller's span", async () => {
    const [traceId, callerSpan] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    const text =
      "canarytext is spoken here, in a sentence. And this is canarytext again, in another sentence that follows it.";
    const answer = await call("/v1/tts", {
      body: { text, format: "wav", chunk_length: 100 },
      headers: { traceparent: `00-${traceId}-${callerSpan}-01` },
    });
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    await whenThere(traceId, "HTTP POST /v1/tts");
    await whenThere(traceId, "schedule chunk");
    const spans = await whenThere(traceId, "speak chunk");

    const [http] = named(spans, "HTTP POST /v1/tts");
    const [speak] = named(spans, "speak");
    const scheduled = named(spans, "schedule chunk");
    const spoken = named(spans, "speak chunk");
    expect(http).toMatchObject({ parentSpanId: callerSpan, service: "parley-edge", failed: false });
    expect(http?.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/tts",
      "http.response.status_code": 200,
      "parley.team": DEVELOPMENT_TEAM_ID,
    });
    expect(speak).toMatchObject({ parentSpanId: http?.spanId, service: "parley-edge" });
    expect(speak?.attributes).toMatchObject({ "parley.outcome": "completed", "parley.model": "s2-pro" });
    // The space between two chunks belongs to none.
    expect(speak?.attributes["parley.characters"]).toBeGreaterThan(text.length - 5);
    expect(scheduled.length).toBeGreaterThan(0);
    expect(spoken).toHaveLength(scheduled.length);
    for (const span of scheduled)
      expect(span).toMatchObject({ parentSpanId: speak?.spanId, service: "parley-scheduler" });
    for (const span of spoken) {
      expect(span.service).toBe("parley-worker");
      expect(scheduled.map(({ spanId }) => spanId)).toContain(span.parentSpanId);
      expect(span.attributes).toMatchObject({ "parley.outcome": "spoken", "parley.attempt": 1 });
      expect(span.endNs).toBeGreaterThan(span.startNs);
    }
    const durationMs = Number((http?.endNs ?? 0n) - (http?.startNs ?? 0n)) / 1e6;
    expect(durationMs).toBeGreaterThan(1);
    expect(durationMs).toBeLessThan(30_000);
  });

  it("follow a forwarded request into the control plane, by route and not by path", async () => {
    const traceId = "a".repeat(32);
    await call("/model/canarypath?x=canaryquery", {
      headers: { traceparent: `00-${traceId}-${"b".repeat(16)}-01`, origin: "https://canaryheader.example" },
    });
    await whenThere(traceId, "HTTP GET /model/:id");
    const spans = await whenThere(traceId, "control-plane GET /model/:id");
    const [http] = named(spans, "HTTP GET /model/:id");
    expect(named(spans, "control-plane GET /model/:id")[0]).toMatchObject({
      parentSpanId: http?.spanId,
      service: "parley-control-plane",
    });
    expect(http?.attributes["http.response.status_code"]).toBe(404);
  });

  it("follow the questions about keys and voices into the control plane", async () => {
    const [key, voice] = ["1a".repeat(16), "2b".repeat(16)];
    await call("/wallet/self/package", {
      headers: { authorization: "Bearer canarykey", traceparent: `00-${key}-${"b".repeat(16)}-01` },
    });
    await whenThere(key, "HTTP GET /wallet/:user_id/package");
    const ofKey = await whenThere(key, "control-plane verify-key");
    expect(named(ofKey, "control-plane verify-key")[0]).toMatchObject({
      ...{
        parentSpanId: named(ofKey, "HTTP GET /wallet/:user_id/package")[0]?.spanId,
        service: "parley-control-plane",
      },
      ...{ failed: false, attributes: {} },
    });
    const body = { text: "canarytext", reference_id: "0".repeat(32) };
    expect((await call("/v1/tts", { body, headers: { traceparent: `00-${voice}-${"b".repeat(16)}-01` } })).status).toBe(
      400,
    );
    await whenThere(voice, "HTTP POST /v1/tts");
    const ofVoice = await whenThere(voice, "control-plane resolve-voices");
    expect(named(ofVoice, "control-plane resolve-voices")[0]?.parentSpanId).toBe(
      named(ofVoice, "HTTP POST /v1/tts")[0]?.spanId,
    );
  });

  it("follow a WebSocket", async () => {
    const traceId = "c".repeat(32);
    const socket = new WebSocket(`${cluster.baseUrl.replace("http", "ws")}/v1/tts/live`, {
      headers: { authorization: `Bearer ${cluster.apiKey}`, traceparent: `00-${traceId}-${"d".repeat(16)}-01` },
    });
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(encodeMsgpack({ event: "start", request: { text: "", format: "pcm" } }));
    socket.send(encodeMsgpack({ event: "text", text: "canarytext, live." }));
    socket.send(encodeMsgpack({ event: "stop" }));
    await new Promise((resolve) => socket.once("close", resolve));
    await whenThere(traceId, "WebSocket /v1/tts/live");
    const spans = await whenThere(traceId, "speak chunk");
    const [connection] = named(spans, "WebSocket /v1/tts/live");
    expect(connection?.parentSpanId).toBe("d".repeat(16));
    expect(connection?.attributes["parley.team"]).toBe(DEVELOPMENT_TEAM_ID);
    expect(named(spans, "speak")[0]?.parentSpanId).toBe(connection?.spanId);
  });

  it("start with the edge where the caller has none, and stay away where the caller does not sample", async () => {
    const traceId = "e".repeat(32);
    await call("/health", { headers: { traceparent: `00-${traceId}-${"f".repeat(16)}-00` } });
    await call("/health", { method: "DELETE" });
    await until(async () => collector.spans.some((span) => span.name.startsWith("HTTP DELETE")), {
      withinMs: 10_000,
      what: "the later span",
    });
    expect(spansOf(traceId)).toEqual([]);
    expect(collector.spans.find((span) => span.name.startsWith("HTTP DELETE"))?.parentSpanId).toBe("");
  });

  it("carry nothing of what people say, of keys or of addresses", async () => {
    const headers = { model: "canarymodel", authorization: "Bearer canarykey" };
    await call("/v1/tts", { body: { text: "canarytext", references: [{ text: "canarytext", audio: "x" }] }, headers });
    await call("/v1/tts", { body: { text: "canarytext", reference_id: "canarytext" } });
    await call("/v1/tts", { body: { text: "canarytext" }, headers: { model: "canarymodel" } });
    await call("/canarypath", { body: {} });
    await call("/model", { body: { title: "canarytitle" } });
    const last = "9".repeat(32);
    await call("/canarypath/canaryquery", { headers: { traceparent: `00-${last}-${"1".repeat(16)}-01` } });
    await whenThere(last, "HTTP GET unmatched");
    const everything = Buffer.concat([...collector.raw]).toString("latin1");
    expect(everything).toContain("parley-edge");
    for (const secret of [...canaries, cluster.apiKey]) expect(everything).not.toContain(secret);
    expect(new Set(collector.spans.map(({ name }) => name)).size).toBeLessThan(20);
  });

  it.skipIf(!hasChdb())("are shown to the team whose request it was, and to nobody else", async () => {
    const [traceId, callerSpan] = ["5c".repeat(16), "7d".repeat(8)];
    const traced = { traceparent: `00-${traceId}-${callerSpan}-01` };
    const spoken = await call("/v1/tts", {
      body: { text: "canarytext, to be found.", format: "wav" },
      headers: traced,
    });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    const foreign = { authorization: `Bearer ${await addTeamTo(cluster, "another")}` };
    const look = async (headers?: Record<string, string>): Promise<[status: number, text: string]> => {
      // Not sampled: to look makes no trace of its own.
      const unsampled = { traceparent: `00-${"6e".repeat(16)}-${callerSpan}-00` };
      const answer = await call(`/v1/traces/${traceId}`, { headers: { ...unsampled, ...headers } });
      return [answer.status, await answer.text()];
    };
    const names = async (headers?: Record<string, string>): Promise<string[]> => {
      const [status, text] = await look(headers);
      return status === 200 ? traceReport.parse(JSON.parse(text)).spans.map(({ name }) => name) : [];
    };
    const wholeRequest = ["HTTP POST /v1/tts", "speak", "schedule chunk", "speak chunk"];
    await until(async () => containsAll(await names(), wholeRequest), { withinMs: 20_000, what: "the stored trace" });
    expect(await look(foreign)).toEqual([404, '{"status":404,"message":"Not found"}']);
    const [, shown] = await look();
    for (const secret of [...canaries, cluster.apiKey, DEVELOPMENT_TEAM_ID]) expect(shown).not.toContain(secret);
    // A request that names our trace, and the span that it goes on from, sees itself.
    await call("/wallet/self/package", { headers: { ...traced, ...foreign } });
    const foreignRequest = ["HTTP GET /wallet/:user_id/package"];
    await until(async () => containsAll(await names(foreign), foreignRequest), {
      ...{ withinMs: 20_000, what: "the other team's request in the same trace" },
    });
    expect(await names(foreign)).not.toContain("speak");
    expect(await names()).not.toContain(foreignRequest[0]);
  });

  it.skipIf(!hasChdb())("are kept in the analytics engine, the same and no more", async () => {
    const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: silentLog });
    const storedOf = async (traceId: string): Promise<StoredSpan[]> => {
      const reply = await bus.request<Reply<TraceReply>>(
        controlSubjects.trace,
        { traceId },
        { timeoutMs: 10_000, dependency: "the control plane" },
      );
      if (!reply.ok) throw new Error(reply.error.code);
      return reply.value.spans;
    };
    const traceIds = [...new Set(collector.spans.map(({ traceId }) => traceId))];
    const everything: string[] = [];
    for (const traceId of traceIds) {
      const sent = spansOf(traceId);
      await until(async () => (await storedOf(traceId)).length >= sent.length, {
        withinMs: 20_000,
        what: `the ${sent.length} spans of a trace to be kept`,
      });
      const kept = await storedOf(traceId);
      const reported = (span: { spanId: string; parentSpanId: string | null; name: string }): string =>
        `${span.spanId} ${span.parentSpanId ?? ""} ${span.name}`;
      expect(kept.map(reported).sort()).toEqual(sent.map(reported).sort());
      everything.push(JSON.stringify(kept));
    }
    expect(traceIds.length).toBeGreaterThan(5);
    for (const secret of [...canaries, cluster.apiKey]) expect(everything.join()).not.toContain(secret);
    expect(await storedOf("ab".repeat(16))).toEqual([]);
    await bus.close();
  });
});
