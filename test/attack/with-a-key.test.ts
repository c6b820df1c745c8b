import { setTimeout as delay } from "node:timers/promises";
import { encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controlSubjects,
  type KeysReply,
  type KeysRequest,
  type Reply,
  type TeamsReply,
  type TeamsRequest,
} from "#protocol/bus/control";
import { type OpenUsage, openUsageBucket } from "#protocol/bus/open-usage";
import { decodeMsgpack } from "#protocol/msgpack";
import type { ToolEntity, ToolTestResult } from "#protocol/tools";
import type { UsageReport } from "#protocol/usage";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { openLive, speakLive } from "../harness/live-client.js";
import { until } from "../harness/processes.js";
import { type Endpoint, startEndpoint } from "../tools/endpoint.js";
import { openSocket } from "./connection.js";

const STREAMS = 3;
const sentence = "The river near the old station was wide and slow this morning. ";

describe("somebody with a key", () => {
  let cluster: TestCluster;
  let bus: Bus;
  let owner: Endpoint;
  let thief: Endpoint;
  const over = new AbortController();

  beforeAll(async () => {
    [owner, thief] = await Promise.all([startEndpoint(), startEndpoint()]);
    cluster = await startCluster({
      settings: {
        PARLEY_LIVE_REUSE_SECONDS: "0",
        PARLEY_OUTBOUND_ALLOW: [owner, thief].map(({ url }) => new URL(url).host).join(","),
      },
    });
    bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
  });
  afterAll(async () => {
    over.abort();
    await bus.close();
    await Promise.all([cluster.stop(), owner.stop(), thief.stop()]);
  });

  const ask = async <T>(subject: string, question: object): Promise<T> => {
    const reply = await bus.request<Reply<T>>(subject, question, {
      timeoutMs: 10_000,
      dependency: "The control plane",
    });
    if (!reply.ok) throw new Error(reply.error.code);
    return reply.value;
  };

  it("cannot read a tool's credential by sending it elsewhere", async () => {
    const send = async <T>(method: string, path: string, body: object): Promise<T> => {
      const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
      const response = await fetch(`${cluster.baseUrl}/v1/agent/tools${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(300);
      return (await response.json()) as T;
    };
    const headers = [{ name: "Authorization", kind: "authorization_bearer", value: "Bearer canary" }];
    const { tool_id: id } = await send<ToolEntity>("POST", "", { name: "T", url: `${owner.url}/hook`, headers });
    await send<ToolTestResult>("POST", `/${id}/test`, {});
    expect(owner.received[0]?.headers["authorization"]).toBe("Bearer canary");
    await send<ToolEntity>("PATCH", `/${id}`, { url: `${thief.url}/hook` });
    await send<ToolTestResult>("POST", `/${id}/test`, {});
    expect(thief.received.map((request) => request.headers["authorization"])).toEqual([undefined]);
  });

  it("has no more streams than his team may, on one socket or on many", async () => {
    const change: TeamsRequest = { action: "create", name: "Small", betaAccess: false, maxConcurrentStreams: STREAMS };
    const teamId = (await ask<TeamsReply>(controlSubjects.teams, change)).teams[0]?.teamId ?? "";
    await ask(controlSubjects.credit, { action: "grant", grantId: "g", teamId, amount: "1", note: "" });
    const asked: KeysRequest = { action: "create", name: "k", teamId, scopes: null, expiresInMs: null };
    const apiKey = (await ask<KeysReply>(controlSubjects.keys, asked)).key ?? "";
    const { hostname, port } = new URL(cluster.baseUrl);
    const target = { host: hostname, port: Number(port), apiKey, random: () => 0 };
    const socket = await openSocket(
      target,
      { path: "/compat/elevenlabs/v1/text-to-speech/default/multi-stream-input", headers: { "xi-api-key": apiKey } },
      over.signal,
    );
    const refused: string[] = [];
    const all = new Promise<void>((resolve) =>
      socket?.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as { contextId?: string; code?: number };
        if (frame.code === 429) refused.push(frame.contextId ?? "");
        if (refused.length === 16 - STREAMS) resolve();
      }),
    );
    const names = Array.from({ length: 16 }, (_, index) => `context ${index}`);
    for (const contextId of names) socket?.send(JSON.stringify({ text: "Some words", context_id: contextId }));
    await all;
    expect(refused).toEqual(names.slice(STREAMS));
    const speech = {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "Hello." }),
    };
    expect((await fetch(`${cluster.baseUrl}/v1/tts`, speech)).status).toBe(429);
  });

  const usage = async (): Promise<{ requests: number; partial: number; cost: number; characters: number }> => {
    const response = await fetch(`${cluster.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${cluster.apiKey}` },
    });
    const { data } = (await response.json()) as UsageReport;
    const sum = (of: (line: UsageReport["data"][number]) => number): number =>
      data.reduce((total, line) => total + of(line), 0);
    return {
      requests: sum((line) => line.requests),
      partial: sum((line) => line.partial_requests),
      cost: sum((line) => Number(line.cost)),
      characters: sum((line) => line.characters),
    };
  };

  /** What one request came to, once it is booked. */
  const costOf = async (request: () => Promise<unknown>): Promise<Awaited<ReturnType<typeof usage>>> => {
    const before = await usage();
    await request();
    await until(async () => (await usage()).requests > before.requests, { withinMs: 5000, what: "the usage" });
    const after = await usage();
    return {
      requests: after.requests - before.requests,
      partial: after.partial - before.partial,
      cost: after.cost - before.cost,
      characters: after.characters - before.characters,
    };
  };

  /** Speaks a sentence and ends with a last frame when this much has come. */
  const speakAndEnd = (audioBytes: number, last: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      let receivedBytes = 0;
      const socket = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey, model: "s1" });
      socket.on("open", () => {
        for (const event of [
          { event: "start", request: { text: "", format: "pcm" } },
          { event: "text", text: sentence },
          { event: "flush" },
        ])
          socket.send(encode(event));
      });
      socket.on("message", (data: Buffer) => {
        receivedBytes += data.byteLength;
        if (receivedBytes >= audioBytes) socket.send(last);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve());
    });

  // Issue 10.13: what was given is paid for, however a stream ends.
  it("pays the same for a stream whether it ends with stop or with a malformed byte, for the same audio", async () => {
    let audioBytes = 0;
    const request = {
      baseUrl: cluster.baseUrl,
      apiKey: cluster.apiKey,
      model: "s2.1-pro-free",
      request: { format: "pcm" },
    };
    const free = await costOf(
      async () =>
        (audioBytes = (await speakLive({ ...request, events: [sentence, { event: "stop" }] })).audio.byteLength),
    );
    expect(free).toMatchObject({ requests: 1, cost: 0 });
    const stopped = await costOf(() => speakAndEnd(audioBytes, encode({ event: "stop" })));
    const malformed = await costOf(() => speakAndEnd(audioBytes, new Uint8Array([0xc1])));
    expect(stopped.cost).toBeGreaterThan(0);
    expect(malformed).toEqual({ ...stopped, cost: expect.closeTo(stopped.cost, 6) });
  });

  it("pays once for what a stream gave whose edge was killed, marked partial", async () => {
    const before = await usage();
    const reported = async (): Promise<number> => {
      const bucket = bus.objects(openUsageBucket);
      // What the edge replaces at that moment never comes.
      const read = (name: string) => Promise.race([bucket.get(name), delay(1000, null)]);
      const contents = await Promise.all((await bucket.names()).map(read));
      return contents.reduce(
        (sum, bytes) =>
          sum +
          (bytes === null
            ? 0
            : (decodeMsgpack(bytes) as OpenUsage).records.reduce((all, { characters }) => all + characters, 0)),
        0,
      );
    };
    let receivedBytes = 0;
    const socket = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey, model: "s1" });
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("message", (data: Buffer) => (receivedBytes += data.byteLength));
    socket.on("open", () => {
      for (const event of [
        { event: "start", request: { text: "", format: "pcm" } },
        { event: "text", text: sentence.repeat(3) },
        { event: "flush" },
      ])
        socket.send(encode(event));
    });
    await until(async () => (await reported()) >= sentence.length, { withinMs: 10_000, what: "a report of the edge" });
    expect(receivedBytes).toBeGreaterThan(50_000);
    expect(cluster.kill("edge")).toBe(true);
    await closed;
    const lives = () => cluster.processes().find(({ name }) => name === "edge")?.lives;
    await until(
      async () =>
        lives() === 2 &&
        (await usage().then(
          () => true,
          () => false,
        )),
      { withinMs: 10_000, what: "another edge" },
    );
    await until(async () => (await usage()).partial === 1, { withinMs: 20_000, what: "the partial usage" });
    const after = await usage();
    expect(after.requests - before.requests).toBe(1);
    expect(after.characters - before.characters).toBeGreaterThanOrEqual(sentence.trim().length);
    expect(after.cost - before.cost).toBeCloseTo(((after.characters - before.characters) * 15) / 1_000_000, 6);
    expect(await bus.objects(openUsageBucket).names()).toEqual([]);
  }, 60_000);
});
