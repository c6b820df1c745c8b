import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeRunFile } from "#launcher/run-file";
import { recordingsBucket } from "#protocol/bus/recording";
import type { UsageReport } from "#protocol/usage";
import { connectNats } from "#common/bus/nats";
import { newIdentifier } from "#common/identifier";
import { runCommandLine } from "../../cli/main.js";
import { silentLog } from "../control-plane/databases.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { speech } from "../harness/http-speech.js";
import { prepareDatabase } from "../harness/prepared-database.js";
import { until } from "../harness/processes.js";
import { addTeamTo } from "../harness/team.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { type Endpoint, startEndpoint } from "../tools/endpoint.js";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20, 3)]);
const CHARGED = "Spoken just before the backup.";
const RECORDING = { name: "session/part-0", bytes: Buffer.from(newIdentifier().repeat(40_000)) };

/** Runs a command with the data directory as its only setting. */
async function parley(dataDirectory: string, ...args: string[]): Promise<{ code: number; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const err = readAll(stderr);
  const code = await runCommandLine(args, {
    environment: { PATH: process.env.PATH, PARLEY_DATA_DIR: dataDirectory },
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    ...{ stdout: stdout.resume(), stderr, distDirectory: join(import.meta.dirname, "../..") },
  });
  stderr.end();
  return { code, err: await err };
}

interface Answer {
  status: number;
  json: Record<string, unknown>;
}

async function ask(cluster: TestCluster, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
  const response = await fetch(cluster.baseUrl + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** Makes agents one after the other until it is ended; gives the names that were acknowledged. */
function writeAgents(cluster: TestCluster): { names: string[]; refused: number[]; end: () => Promise<void> } {
  let isOver = false;
  const written = { names: [] as string[], refused: [] as number[] };
  const work = async (): Promise<void> => {
    while (!isOver) {
      const name = `agent ${newIdentifier()}`;
      const { status } = await ask(cluster, "POST", "/v1/agent/agents", { name });
      if (status === 201) written.names.push(name);
      else written.refused.push(status);
    }
  };
  const working = work();
  return {
    ...written,
    end: () => {
      isOver = true;
      return working;
    },
  };
}

async function agentNames(cluster: TestCluster): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { json } = await ask(cluster, "GET", `/v1/agent/agents?page_size=100&page=${page}`);
    names.push(...(json["agents"] as { name: string }[]).map(({ name }) => name));
    if (json["has_more"] !== true) return names;
  }
}

/** What a team was charged for, in characters. */
async function charged(cluster: TestCluster, apiKey: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { data } = (await (await fetch(`${cluster.baseUrl}/v1/usage`, { headers })).json()) as UsageReport;
  return data.reduce((sum, { characters }) => sum + characters, 0);
}

/** What stands in a cluster that a restored one must have too. */
interface Content {
  teamKey: string;
  voiceId: string;
  toolId: string;
}

describe("a backup of a cluster that is written to", () => {
  const directory = temporaryDirectory("backup");
  const [from, into] = [join(directory.path, "from"), join(directory.path, "into")];
  const file = join(directory.path, "parley.backup");
  const settings = { PARLEY_OUTBOUND_ALLOW: "" };
  let endpoint: Endpoint;
  let restored: TestCluster;
  let content: Content;
  let before: string[];
  let after: string[];
  let refused: number[];

  async function fill(cluster: TestCluster): Promise<Content> {
    const wav = await speech(cluster, { text: "This sample is long enough to be measured, I hope.", format: "wav" });
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: "tts", train_mode: "fast", title: "A voice" }))
      form.append(name, value);
    form.append("voices", new Blob([wav]), "voice.wav");
    form.append("cover_image", new Blob([PNG]), "cover.png");
    const headers = { authorization: `Bearer ${cluster.apiKey}` };
    const voice = await fetch(`${cluster.baseUrl}/model`, { method: "POST", headers, body: form });
    const tool = await ask(cluster, "POST", "/v1/agent/tools", {
      name: "T",
      url: `${endpoint.url}/hook`,
      headers: [{ name: "Authorization", kind: "authorization_bearer", value: "Bearer sealed" }],
    });
    const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: silentLog });
    await bus.objects(recordingsBucket).put(RECORDING.name, RECORDING.bytes);
    await bus.close();
    return {
      teamKey: await addTeamTo(cluster, "a team"),
      voiceId: String(((await voice.json()) as Record<string, unknown>)["_id"]),
      toolId: String(tool.json["tool_id"]),
    };
  }

  beforeAll(async () => {
    endpoint = await startEndpoint();
    settings.PARLEY_OUTBOUND_ALLOW = new URL(endpoint.url).host;
    await prepareDatabase(from);
    const cluster = await startCluster({ dataDirectory: from, models: ["espeak"], settings });
    writeRunFile(from, { ...cluster, pid: process.pid, liveKit: null });
    content = await fill(cluster);
    const writing = writeAgents(cluster);
    await until(() => writing.names.length > 20, { withinMs: 20_000, what: "agents" });
    before = [...writing.names];
    await speech({ ...cluster, apiKey: content.teamKey }, { text: CHARGED });
    const made = await parley(from, "backup", file);
    await writing.end();
    ({ names: after, refused } = writing);
    await cluster.stop();
    // A sample, a cover and a recording; what a voice is made of the sample, once it is; the usage of the speech, until
    // the control plane has booked it.
    expect(made).toEqual({ code: 0, err: expect.stringMatching(/is whole, with [345] objects/) });
    const put = await parley(into, "restore", file);
    expect(put).toEqual({ code: 0, err: expect.stringContaining(/with \d objects/.exec(made.err)?.[0] ?? "objects") });
    restored = await startCluster({ dataDirectory: into, models: ["espeak"], settings });
  });
  afterAll(async () => {
    await restored?.stop();
    await endpoint?.stop();
    directory.remove();
  });

  it("refuses no request meanwhile", () => {
    expect(refused).toEqual([]);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it("has every record that was acknowledged before it began, and none that nobody wrote", async () => {
    const names = await agentNames(restored);
    expect(before.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !after.includes(name))).toEqual([]);
  });

  it("has keys that work, and was charged for what had been spoken", async () => {
    expect(await charged(restored, content.teamKey)).toBe(CHARGED.length);
  });

  it("has voices that speak, with their samples and covers", async () => {
    const said = await speech(restored, { text: "It is me.", reference_id: content.voiceId, format: "wav" });
    expect(said.byteLength).toBeGreaterThan(10_000);
    const headers = { authorization: `Bearer ${restored.apiKey}` };
    const cover = await fetch(`${restored.baseUrl}/model/${content.voiceId}/cover`, { headers });
    expect(Buffer.from(await cover.arrayBuffer())).toEqual(PNG);
    const sample = await fetch(`${restored.baseUrl}/model/${content.voiceId}/samples/0`, { headers });
    expect((await sample.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  });

  it("has recordings, byte for byte", async () => {
    const bus = await connectNats({ url: restored.natsUrl, name: "test", log: silentLog });
    const found = await bus.objects(recordingsBucket).get(RECORDING.name);
    expect(RECORDING.bytes.equals(found ?? new Uint8Array())).toBe(true);
    await bus.close();
  });

  it("opens the credentials that were sealed", async () => {
    expect((await ask(restored, "POST", `/v1/agent/tools/${content.toolId}/test`, {})).status).toBe(200);
    expect(endpoint.received.at(-1)?.headers["authorization"]).toBe("Bearer sealed");
  });

  it("is its owner's alone, and leaves nothing behind", () => {
    expect((lstatSync(file).mode & 0o777).toString(8)).toBe("600");
    // The cluster runs on: what its engines make and remove meanwhile is passed over.
    const open = execFileSync("find", [into, "-ignore_readdir_race", "!", "-type", "l", "-perm", "/077"]);
    expect(open.toString()).toBe("");
    expect(readdirSync(from).filter((name) => name.startsWith("database"))).toEqual(["database", "database.lock"]);
    expect(readdirSync(directory.path).sort()).toEqual(["from", "into", "parley.backup"]);
  });

  it("is not restored where something is, and replaces no file", async () => {
    const stamp = readFileSync(join(into, "parley.json"));
    expect(await parley(into, "restore", file)).toEqual({
      code: 1,
      err: `parley: ${into} is not empty; move it away, or set PARLEY_DATA_DIR to another folder\n`,
    });
    writeRunFile(into, { ...restored, pid: process.pid, liveKit: null });
    expect((await parley(into, "restore", file)).err).toBe(
      `parley: a cluster runs on ${into}; set PARLEY_DATA_DIR to an empty folder\n`,
    );
    expect((await parley(into, "backup", file)).err).toBe(`parley: ${file} is there already; choose another name\n`);
    expect(readFileSync(join(into, "parley.json"))).toEqual(stamp);
    mkdirSync(join(directory.path, "away"));
    expect((await parley(join(directory.path, "away"), "backup", `${file}.2`)).code).toBe(3);
  });
});
