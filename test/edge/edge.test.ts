import { once } from "node:events";
import { decode, encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { keyRevokedSubject } from "#protocol/bus/control";
import { connectNats } from "#common/bus/nats";
import { sha256Hex } from "#common/identifier";
import { createLogger } from "#common/log";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { openLive, speakLive } from "../harness/live-client.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startCluster({
    settings: { PARLEY_DRAIN_MS: "10000", PARLEY_CORS_ALLOWED_ORIGINS: "https://app.example" },
  });
  await vi.waitFor(async () => expect((await ask("/ready")).status).toBe(200), { timeout: 30_000 });
});
afterAll(async () => {
  await cluster.stop();
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(cluster.baseUrl + path, init);
const authorized = (headers: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${cluster.apiKey}`,
  ...headers,
});
const speak = (headers: Record<string, string> = {}): Promise<Response> =>
  ask("/v1/tts", {
    method: "POST",
    headers: authorized({ "content-type": "application/json", ...headers }),
    body: JSON.stringify({ text: "One two three.", format: "pcm" }),
  });

async function metric(pattern: RegExp): Promise<number> {
  const line = (await (await ask("/metrics")).text()).split("\n").find((candidate) => pattern.test(candidate));
  return Number(line?.split(" ").at(-1) ?? 0);
}

describe("the edge of a real cluster", () => {
  it("tells of the cluster", async () => {
    const health = (await (await ask("/health")).json()) as Record<string, unknown>;
    expect(health).toMatchObject({ status: "ok", problems: [], bus_connected: true, draining: false });
    expect(health["models"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "espeak", task: "speak", workers: 1 })]),
    );
    expect((await (await ask("/openapi.json")).json()) as object).toMatchObject({ openapi: "3.1.0" });
    for (const page of ["/", "/docs"])
      expect((await ask(page)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it.each([
    ["no header", {}, ""],
    ["another scheme", { authorization: "Basic YTpi" }, ""],
    ["a list of credentials", { authorization: "Bearer a, Bearer b" }, ""],
    ["an unknown key", { authorization: "Bearer wrong" }, '{"status":401,"message":"Invalid token"}'],
  ])("answers 401 to %s, the same on every route", async (_name, headers, body) => {
    const routes: [string, string][] = [
      ["POST", "/v1/tts"],
      ["POST", "/v1/tts/stream/with-timestamp"],
      ["GET", "/model"],
      ["POST", "/model"],
      ["DELETE", "/model/1"],
      ["GET", "/wallet/self/package"],
    ];
    for (const [method, path] of routes) {
      const answer = await ask(path, { method, headers });
      expect([path, answer.status, await answer.text()]).toEqual([path, 401, body]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
    const socket = openLive({
      baseUrl: cluster.baseUrl,
      apiKey: "",
      headers: {
        Authorization: "",
        ...Object.fromEntries(Object.entries(headers).map(([, value]) => ["Authorization", value])),
      },
    });
    const [, refusal] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(refusal.statusCode).toBe(401);
  });

  it("asks the control plane once about a key, and again after an event about it", async () => {
    await speak();
    const before = await metric(/verdicts_total\{source="control-plane"/);
    await Promise.all([speak(), speak(), ask("/model", { headers: authorized() })]);
    expect(await metric(/verdicts_total\{source="control-plane"/)).toBe(before);
    const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
    bus.publish(keyRevokedSubject, { keyDigest: sha256Hex(cluster.apiKey) });
    await bus.flush();
    await bus.close();
    await expect
      .poll(async () => {
        await ask("/model", { headers: authorized() });
        return await metric(/verdicts_total\{source="control-plane"/);
      })
      .toBe(before + 1);
  });

  it("gives the same sound whatever the trace header says", async () => {
    const traced = [
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "garbage",
      `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    ];
    const sounds = await Promise.all(
      [speak(), ...traced.map((traceparent) => speak({ traceparent }))].map(async (answer) =>
        Buffer.from(await (await answer).arrayBuffer()).toString("base64"),
      ),
    );
    expect(sounds[0]?.length).toBeGreaterThan(1000);
    expect(new Set(sounds).size).toBe(1);
  });

  it("forwards small and large bodies", async () => {
    const credit = await ask("/wallet/self/api-credit", { headers: authorized() });
    expect([credit.status, typeof ((await credit.json()) as { credit: unknown }).credit]).toEqual([200, "string"]);
    const form = new FormData();
    for (const [name, value] of Object.entries({
      type: "tts",
      train_mode: "fast",
      title: "noise",
      visibility: "private",
    }))
      form.set(name, value);
    form.set("voices", new Blob([new Uint8Array(3_000_000)]), "silence.raw");
    const refused = await ask("/model", { method: "POST", headers: authorized(), body: form });
    expect(refused.status).toBe(400);
    const missing = await ask("/model/ffffffffffffffffffffffffffffffff", { headers: authorized() });
    expect([missing.status, await missing.json()]).toEqual([404, { status: 404, message: "Not found" }]);
  });

  it("refuses a body of more than 64 MiB before it arrives", async () => {
    const { request } = await import("node:http");
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        `${cluster.baseUrl}/model`,
        { method: "POST", headers: authorized({ "content-length": String(65 * 1024 * 1024) }) },
        (answer) => {
          resolve(answer.statusCode);
          sent.destroy();
        },
      );
      sent.on("error", reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  it("begins no conversation without saying with whom", async () => {
    expect((await ask("/v1/agent/sessions", { method: "POST", headers: authorized() })).status).toBe(415);
  });

  it("counts streams and first audio", async () => {
    const before = await metric(/^parley_first_audio_seconds_count\{.*live/);
    const spoken = await speakLive({
      baseUrl: cluster.baseUrl,
      apiKey: cluster.apiKey,
      request: { format: "pcm" },
      events: ["Hello there. ", { event: "stop" }],
    });
    expect(spoken.finish?.reason).toBe("stop");
    expect(await metric(/^parley_first_audio_seconds_count\{.*live/)).toBe(before + 1);
    expect(await metric(/^parley_streams_active\{.*live/)).toBe(0);
  });

  it("is not ready while NATS is away, and ready again when it is back", async () => {
    expect(cluster.kill("nats")).toBe(true);
    await expect.poll(async () => (await ask("/ready")).status, { timeout: 10_000, interval: 20 }).toBe(503);
    await expect.poll(async () => (await ask("/ready")).status, { timeout: 60_000 }).toBe(200);
    // A key that is remembered needs no control plane; speech needs the bus again.
    await expect.poll(async () => (await speak()).status, { timeout: 20_000 }).toBe(200);
  });

  it("drains: refuses what is new, finishes what runs, closes the rest", async () => {
    const idle = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
    const running = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
    await Promise.all([once(idle, "open"), once(running, "open")]);
    running.send(encode({ event: "start", request: { text: "", format: "pcm" } }));
    running.send(
      encode({
        event: "text",
        text: "This stream was running when the server was asked to stop, and it is spoken to its end. ".repeat(3),
      }),
    );
    const events: { event: string; reason?: string }[] = [];
    running.on("message", (data: Buffer) => events.push(decode(data) as { event: string }));
    const closes = Promise.all([once(idle, "close"), once(running, "close")]);
    await once(running, "message");
    expect(cluster.kill("edge", "SIGTERM")).toBe(true);
    await closes;
    expect(events.at(-1)).toEqual({ event: "finish", reason: "stop" });
    await expect.poll(async () => (await ask("/ready").catch(() => null))?.status ?? 0, { timeout: 60_000 }).toBe(200);
  });
});
