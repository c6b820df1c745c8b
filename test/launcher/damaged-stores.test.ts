import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DataDirectoryError } from "#common/data-directory/data-directory";
import { connectNats } from "#common/bus/nats";
import { openUsageBucket } from "#protocol/bus/open-usage";
import { recordingsBucket } from "#protocol/bus/recording";
import { openDatabase } from "#control-plane/database/open";
import { silentLog } from "../control-plane/databases.js";
import { startCluster } from "../harness/cluster.js";
import { prepareDatabase } from "../harness/prepared-database.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const directory = temporaryDirectory("damaged");
const whole = join(directory.path, "whole");
let apiKey = "";

/** A copy of what a cluster left in which one file, below `folder`, was cut off. */
function truncated(folder: string, file: string, part: number): string {
  const copy = join(mkdtempSync(join(directory.path, "copy-")), "data");
  cpSync(whole, copy, { recursive: true });
  const path = join(copy, folder, file);
  truncateSync(path, Math.floor(statSync(path).size * part));
  return copy;
}

/** The name of the largest file of a folder. */
function largestIn(folder: string): string {
  const sizes = readdirSync(join(whole, folder)).map(
    (name) => [statSync(join(whole, folder, name)).size, name] as const,
  );
  return sizes.toSorted(([a], [b]) => b - a)[0]?.[1] ?? "";
}

const agentsOf = async (baseUrl: string): Promise<string[]> => {
  const answer = await fetch(`${baseUrl}/v1/agent/agents`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await answer.json()) as { agents: { name: string }[] }).agents.map(({ name }) => name);
};

beforeAll(async () => {
  await prepareDatabase(whole);
  const cluster = await startCluster({ dataDirectory: whole, models: ["espeak"] });
  ({ apiKey } = cluster);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const answer = await fetch(`${cluster.baseUrl}/v1/agent/agents`, {
    method: "POST",
    headers,
    body: '{"name":"kept"}',
  });
  expect(answer.status).toBe(201);
  const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: silentLog });
  await bus.objects(recordingsBucket).put("stored", new Uint8Array([4, 5, 6]));
  await bus.close();
  await cluster.stop();
});
afterAll(directory.remove);

describe("an embedded database whose files were cut off", () => {
  it.each([
    ["its control file is empty", "global", () => "pg_control", 0],
    ["half of its log is gone", "pg_wal", () => largestIn("database/pg_wal"), 0.5],
    ["half of a table is gone", "base/5", () => largestIn("database/base/5"), 0.5],
  ])("is refused in words that say what to do: %s", async (_, folder, file, part) => {
    const data = truncated("database", join(folder, file()), part);
    const failure: unknown = await openDatabase({ url: null, dataDirectory: data, log: silentLog }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DataDirectoryError);
    expect((failure as Error).message).toMatch(
      /database cannot be opened: its files seem to be damaged \(.+\)\. The folder holds the embedded database: restore it/s,
    );
  });
});

it("a JetStream whose stream cannot be read is refused before anything is made in its place, and what was stored is there again once it is whole", async () => {
  const data = truncated("nats", "jetstream/jetstream/$G/streams/parley-usage/meta.inf", 0.5);
  const failure: unknown = await startCluster({ dataDirectory: data, models: ["espeak"] }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DataDirectoryError);
  expect((failure as Error).message).toContain(
    "nats cannot be used: the description of its stream parley-usage cannot be read",
  );
  expect((failure as Error).message).toContain("Nothing was changed.");
  rmSync(join(data, "nats"), { recursive: true });
  cpSync(join(whole, "nats"), join(data, "nats"), { recursive: true });
  const cluster = await startCluster({ dataDirectory: data, models: ["espeak"] });
  expect(await agentsOf(cluster.baseUrl)).toContain("kept");
  await cluster.stop();
});

it("an object store without a description, which a full disk left so, is made again with what lies in it", async () => {
  const data = truncated("nats", `jetstream/jetstream/$G/streams/OBJ_${recordingsBucket.name}/meta.inf`, 0);
  const cluster = await startCluster({ dataDirectory: data, models: ["espeak"] });
  const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: silentLog });
  expect([...((await bus.objects(recordingsBucket).get("stored")) ?? [])]).toEqual([4, 5, 6]);
  await bus.close();
  await cluster.stop();
});

it("a stream that a full disk kept from being made keeps nobody from starting, and is made when it is needed", async () => {
  const data = join(mkdtempSync(join(directory.path, "copy-")), "data");
  cpSync(whole, data, { recursive: true });
  const unfinished = join(data, `nats/jetstream/jetstream/$G/streams/OBJ_${openUsageBucket.name}`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, "msgs"), { recursive: true });
  writeFileSync(join(unfinished, "meta.inf"), "");
  const cluster = await startCluster({ dataDirectory: data, models: ["espeak"] });
  const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: silentLog });
  await bus.objects(openUsageBucket).put("kept", new Uint8Array([1, 2, 3]));
  expect([...((await bus.objects(openUsageBucket).get("kept")) ?? [])]).toEqual([1, 2, 3]);
  expect(await agentsOf(cluster.baseUrl)).toContain("kept");
  await bus.close();
  await cluster.stop();
});
