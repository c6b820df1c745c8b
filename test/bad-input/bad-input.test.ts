import { readFileSync } from "node:fs";
import { encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToSamples } from "#audio/pcm";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { loudness } from "../harness/audio.js";
import { wireDigest } from "./case.js";
import { goodSample } from "./samples.js";
import { goodSpeech } from "./requests.js";
import { runTopic } from "./run.js";
import { topics } from "./topics.js";
import type { Target } from "./send.js";

/**
 * What the edge may hold when all is over, MB: far more than it needs, far less than a leak of these bodies would
 * leave.
 */
const MAX_EDGE_MB = 700;

/** Always the documented error, never a 5xx, a hang or a crash, and the process still serves afterwards. */
describe("bad input", () => {
  let cluster: TestCluster;
  let target: Target;

  beforeAll(async () => {
    // All streams are admitted: this is about input, not about load.
    // Live clients here wait for the close, which comes a second after finish, not a minute.
    cluster = await startCluster({
      settings: {
        PARLEY_ADMISSION_WAIT_MS: "600000",
        PARLEY_LIVE_REUSE_SECONDS: "1",
        PARLEY_PUBLIC_SESSIONS_PER_ADDRESS: "0",
        PARLEY_PUBLIC_SESSIONS_PER_AGENT: "0",
      },
    });
    const form = { type: "tts", train_mode: "fast", title: "A voice", visibility: "private", voices: [goodSample] };
    const made = await ask("POST", "/model", form);
    expect(made.status).toBe(201);
    const { _id: voiceId } = (await made.json()) as { _id: string };
    const agentId = await makeAgent({});
    const publicAgentId = await makeAgent({
      ...{ public_enabled: true, allowed_origins: ["https://shop.example"], overrides_allowed: ["voice_id"] },
    });
    expect((await ask("POST", `/v1/agent/agents/${publicAgentId}/publish`)).status).toBe(200);
    const port = Number(new URL(cluster.baseUrl).port);
    target = { port, apiKey: cluster.apiKey, voiceId, agentId, publicAgentId, testId: await makeTest() };
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
  });

  const ask = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${cluster.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/msgpack" }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(encode(body)) }),
    });

  const json = (method: string, path: string, body: object): Promise<Response> =>
    fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  async function makeTest(): Promise<string> {
    const test = {
      name: "A test",
      test_type: "next_reply",
      conversation: [{ text: "Hello?" }],
      expectation: "It greets.",
    };
    const made = await json("POST", "/v1/agent/tests", test);
    expect(made.status).toBe(201);
    return ((await made.json()) as { test_id: string }).test_id;
  }

  async function makeAgent(change: object): Promise<string> {
    const made = await json("POST", "/v1/agent/agents", { name: "An agent" });
    const { agent_id: agentId } = (await made.json()) as { agent_id: string };
    expect((await json("PATCH", `/v1/agent/agents/${agentId}`, change)).status).toBe(200);
    return agentId;
  }

  async function expectGoodService(): Promise<void> {
    const spoken = await ask("POST", "/v1/tts", { ...goodSpeech, text: "Still here." });
    expect(spoken.status).toBe(200);
    const samples = bytesToSamples(new Uint8Array(await spoken.arrayBuffer()));
    expect(samples.length).toBeGreaterThan(2000);
    expect(loudness({ samples, sampleRate: 8000 })).toBeGreaterThan(0.01);
    expect((await ask("GET", `/model/${target.voiceId}`)).status).toBe(200);
  }

  it("has 4,800 different requests, no two of one name", () => {
    const names = topics.flatMap((topic) => topic.cases.map((asked) => `${topic.name}: ${asked.name}`));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(new Set(topics.flatMap((topic) => topic.cases.map(wireDigest))).size).toBeGreaterThan(4800);
  });

  it.each(topics)("answers $name as documented", async (topic) => {
    const { failures, digests } = await runTopic(topic, target);
    expect(failures).toEqual([]);
    if (topic.name === "trace headers") expectSameAnswers(digests);
    await expectGoodService();
  }, 300_000);

  it("lost no process, and complained of nothing", () => {
    expect(cluster.processes().filter((process) => process.lives !== 1 || process.pid === null)).toEqual([]);
    expect(cluster.complaints.filter(({ level }) => level === "error" || level === "fatal")).toEqual([]);
  });

  it("keeps its memory within bounds", async () => {
    const edge = cluster.processes().find(({ name }) => name === "edge");
    const residentKb = Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${edge?.pid}/status`, "latin1"))?.[1]);
    expect(residentKb / 1024).toBeLessThan(MAX_EDGE_MB);
  });

  it("deletes the voice that it made", async () => {
    expect((await ask("DELETE", `/model/${target.voiceId}`)).status).toBe(200);
    expect((await ask("GET", `/model/${target.voiceId}`)).status).toBe(404);
  });
});

/** The trace header changes nothing: all answers to one request are one, to the byte. */
function expectSameAnswers(digests: Map<string, string>): void {
  for (const request of ["traceparent", "traceparent of timestamps", "traceparent of a refusal"]) {
    const bodies = [...digests].filter(([name]) => name.startsWith(`${request}: `)).map(([, digest]) => digest);
    expect([request, bodies.length > 10, new Set(bodies).size]).toEqual([request, true, 1]);
  }
}
