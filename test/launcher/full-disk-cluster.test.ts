import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controlSubjects,
  type KeysReply,
  type KeysRequest,
  MAX_INLINE_BODY_BYTES,
  type Reply,
} from "#protocol/bus/control";
import { usageReport } from "#protocol/usage";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { speechLike } from "#audio/testing/speech-like";
import { wavFile } from "#audio/testing/wav-file";
import { hasChdb } from "../analytics/chdb-present.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { prepareDatabase } from "../harness/prepared-database.js";
import { until } from "../harness/processes.js";
import { type SmallDisk, smallDisk } from "../harness/small-disk.js";

const samples = speechLike({ pitchHz: 130, syllablesPerSecond: 4, seconds: 3, sampleRate: 16_000 });
const sample = wavFile(
  { sampleRate: 16_000, channels: 1, bits: 16 },
  samples.length,
  (frame) => (samples[frame] ?? 0) / 32_768,
);

/** Usage, which two of the tests count, is the analytics engine's. */
const countsUsage = hasChdb();

describe("a cluster whose disk fills up", { timeout: 120_000 }, () => {
  let disk: SmallDisk;
  let cluster: TestCluster;
  let bus: Bus;
  let headers: Record<string, string>;
  const start = (): Promise<TestCluster> =>
    startCluster({ dataDirectory: join(disk.path, "data"), models: ["espeak"], settings: { PARLEY_DRAIN_MS: "2000" } });

  beforeAll(async () => {
    disk = smallDisk(192);
    await prepareDatabase(join(disk.path, "data"));
    cluster = await start();
    bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
    headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
  });
  afterAll(async () => {
    disk.empty();
    await bus.close();
    await cluster.stop();
    disk.remove();
  });

  /** Asks as a client does. */
  const request = async (method: string, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  /** Seconds of speech that are louder than silence. */
  const speak = async (): Promise<number> => {
    const answer = await fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers,
      body: JSON.stringify({ text: "The disk is full.", format: "pcm", sample_rate: 16_000 }),
    });
    const data = Buffer.from(await answer.arrayBuffer());
    expect(answer.status, data.toString("latin1").slice(0, 200)).toBe(200);
    const samples = new Int16Array(data.buffer, data.byteOffset, data.length >> 1);
    return samples.filter((sample) => Math.abs(sample) > 1000).length / 16_000;
  };
  const makeAgent = (name: string) => request("POST", "/v1/agent/agents", { name });
  const makeVoice = () =>
    request("POST", "/model", { type: "tts", train_mode: "fast", title: "v", voices: [sample.toString("base64")] });
  const makeKey = async (name: string): Promise<Reply<KeysReply>> => {
    const question: KeysRequest = { action: "create", name, teamId: null, scopes: null, expiresInMs: null };
    return await bus.request(controlSubjects.keys, question, { timeoutMs: 10_000, dependency: "The control plane" });
  };
  const spokenRequests = async (): Promise<number> => {
    const { text } = await request("GET", "/v1/usage?group_by=model");
    return usageReport.parse(JSON.parse(text)).data.reduce((sum, line) => sum + line.requests, 0);
  };
  const livesOf = (): Record<string, number> =>
    Object.fromEntries(cluster.processes().map(({ name, lives }) => [name, lives]));

  it.runIf(countsUsage)(
    "speaks and answers reads, refuses writes in words, ends nothing, and recovers when there is room, with nothing given away",
    async () => {
      expect(await speak()).toBeGreaterThan(0.2);
      await until(async () => (await spokenRequests()) === 1, { withinMs: 15_000, what: "usage" });
      expect(await makeAgent("before")).toMatchObject({ status: 201 });
      disk.fill();

      for (let count = 0; count < 12; count++) expect(await speak()).toBeGreaterThan(0.2);
      expect(await request("GET", "/v1/agent/agents")).toMatchObject({
        status: 200,
        text: expect.stringContaining('"before"') as string,
      });
      expect(await request("GET", "/model")).toMatchObject({ status: 200 });
      expect(await request("GET", "/v1/usage")).toMatchObject({ status: 200 });
      const refused = {
        status: 503,
        text: '{"status":503,"message":"The disk of this server is full: nothing was stored"}',
      };
      expect(await makeAgent("during")).toMatchObject(refused);
      expect(await makeKey("during")).toMatchObject({ ok: false, error: { code: "disk_full" } });
      expect(await makeVoice()).toMatchObject(refused);
      // Too large for the bus: the edge would put it into the object store.
      const upload = await request("POST", "/model", {
        type: "tts",
        train_mode: "fast",
        title: "v",
        voices: [Buffer.alloc(MAX_INLINE_BODY_BYTES).toString("base64")],
      });
      expect(upload).toMatchObject({
        status: 503,
        text: expect.stringMatching(/is briefly unavailable|disk of this server is full/) as string,
      });
      expect(await speak()).toBeGreaterThan(0.2);
      expect(cluster.complaints.map(({ text }) => text)).toContainEqual(
        expect.stringContaining("its log cannot be written (no space is left on the disk)"),
      );
      expect(new Set(Object.values(livesOf()))).toEqual(new Set([1]));

      disk.empty();
      await until(async () => (await makeAgent("after")).status === 201, { withinMs: 5000, what: "room for an agent" });
      expect(await makeKey("after")).toMatchObject({ ok: true });
      await until(async () => (await makeVoice()).status === 201, { withinMs: 30_000, what: "room for a voice" });
      // What was spoken without room for its usage is charged now.
      await until(async () => (await spokenRequests()) === 14, {
        withinMs: 40_000,
        what: "the usage of every request",
      });
      expect(await speak()).toBeGreaterThan(0.2);
      expect({ ...livesOf(), nats: 0 }).toEqual({
        ...livesOf(),
        nats: 0,
        edge: 1,
        redis: 1,
        "control-plane": 1,
        "scheduler-1": 1,
        "worker-1": 1,
      });
      const agents = await request("GET", "/v1/agent/agents");
      expect(["before", "during", "after"].filter((name) => agents.text.includes(`"${name}"`))).toEqual([
        "before",
        "after",
      ]);
    },
  );

  it("speaks while the control plane, killed on a full disk, cannot start, says why it cannot, and has it back when there is room", async () => {
    await speak();
    const complaints = cluster.complaints.length;
    disk.fill();
    cluster.kill("control-plane");
    const says = (): string[] => cluster.complaints.slice(complaints).map(({ text }) => text);
    const reason =
      /^could not start: the disk of \S+ has 0 MiB free, and opening the database needs 32 MiB: make room$/;
    await until(() => says().some((text) => reason.test(text)), { withinMs: 10_000, what: "the reason" });
    expect(await speak()).toBeGreaterThan(0.2);
    disk.empty();
    await until(async () => (await makeAgent("later")).status === 201, { withinMs: 20_000, what: "the control plane" });
  });

  it.runIf(countsUsage)(
    "stops in order on a full disk, says why it does not start again, and starts with everything once there is room",
    async () => {
      await until(async () => (await spokenRequests()) === 17, { withinMs: 20_000, what: "the last requests' usage" });
      await bus.close();
      disk.fill();
      await cluster.stop();
      await expect(start()).rejects.toThrow(/^The disk of \S+ has 0 MiB free, and a start needs 32 MiB; make room/);
      disk.empty();
      cluster = await start();
      await until(async () => (await request("GET", "/v1/agent/agents")).text.includes('"after"'), {
        withinMs: 10_000,
        what: "the agents",
      });
      await until(async () => (await spokenRequests()) === 17, {
        withinMs: 10_000,
        what: "the usage of every request",
      });
      expect(await speak()).toBeGreaterThan(0.2);
    },
  );
});
