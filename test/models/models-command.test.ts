import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelReport } from "#protocol/models/inspection";
import { writeToneVoice } from "#workers/engines/onnx/testing/tone-voice";
import { runCommandLine } from "../../cli/main.js";
import { makeTar } from "../../cli/models/archive/testing/make-archives.js";

const directory = mkdtempSync(join(tmpdir(), "parley-models-"));
const shelf = join(directory, "data/models");
const voice = join(directory, "My Voice");
let files: Server;
let filesUrl = "";
const served = new Map<string, Buffer>();

async function models(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([readAll(stdout), readAll(stderr)]);
  const code = await runCommandLine(["models", ...args], {
    environment: { PATH: process.env.PATH, PARLEY_DATA_DIR: join(directory, "data") },
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout,
    stderr,
    distDirectory: join(import.meta.dirname, "../.."),
  });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, out, err };
}

const sum = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
/** What lies on the shelf besides the folder of downloads. */
const shelved = (): string[] => (existsSync(shelf) ? readdirSync(shelf).filter((name) => name !== ".downloads") : []);

beforeAll(async () => {
  writeToneVoice(voice, "tone");
  files = createServer((request, response) => {
    const bytes = served.get(request.url ?? "");
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise<void>((listening) => files.listen(0, "127.0.0.1", listening));
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(async () => {
  files.closeAllConnections();
  await new Promise((closed) => files.close(closed));
  rmSync(directory, { recursive: true });
});

describe("parley models", { timeout: 60_000 }, () => {
  it("lists what comes with Parley", async () => {
    const { code, out } = await models("list");
    expect(code).toBe(0);
    expect(out).toMatch(/^parley-en +speak +onnx +en +\d+\.\d MiB +embedded +whole +Apache-2\.0$/m);
    expect(out).toMatch(/^parley-asr-en +transcribe +ctc /m);
  });

  it("adds a folder, tries it, lists it, and removes only what was added", async () => {
    const added = await models("add", voice);
    expect(added).toMatchObject({ code: 0, err: "" });
    expect(added.out).toMatch(
      /✓ My-Voice \(added\): speak with onnx on \w+, 22050 Hz, en, 3 speakers \(tone0, tone1, tone2\)\n.*of real time/,
    );
    expect(shelved()).toEqual(["My-Voice"]);
    expect((await models("add", voice)).err).toMatch(/My-Voice is added already/);
    const report = (JSON.parse((await models("list", "--json")).out) as (ModelReport & { origin: string })[]).find(
      ({ name }) => name === "My-Voice",
    );
    expect(report).toMatchObject({ origin: "added", task: "speak", engine: "onnx", problem: null, embedded: false });
    expect((await models("remove", "parley-en")).err).toMatch(/was not added/);
    expect(await models("remove", "My-Voice")).toMatchObject({ code: 0 });
    expect(shelved()).toEqual([]);
    expect(existsSync(join(voice, "tone.onnx"))).toBe(true);
  });

  it("refers to a folder with --link, and says when that is gone", async () => {
    const elsewhere = join(directory, "elsewhere");
    cpSync(voice, elsewhere, { recursive: true });
    expect(await models("add", elsewhere, "--link", "--name", "linked-voice")).toMatchObject({ code: 0 });
    rmSync(join(elsewhere, "tone.onnx.json"));
    const broken = await models("verify", "linked-voice");
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/✗ linked-voice \(linked\): holds tone\.onnx, but no \.onnx\.json/);
    rmSync(elsewhere, { recursive: true });
    expect((await models("list")).out).toMatch(/^linked-voice .*BROKEN: the link leads to nothing/m);
    expect(await models("remove", "linked-voice")).toMatchObject({ code: 0 });
    expect(shelved()).toEqual([]);
  });

  it("brings an archive whose sum is right, and nothing of one whose sum is wrong", async () => {
    const entries = readdirSync(voice).map((name) => ({
      name: `net-voice/${name}`,
      content: readFileSync(join(voice, name)),
    }));
    const archive = gzipSync(makeTar(entries));
    served.set("/voices/pack-1.2.tar.gz", archive);
    const url = `${filesUrl}/voices/pack-1.2.tar.gz`;
    expect(await models("add", url)).toMatchObject({ code: 2, err: expect.stringContaining("--sha256") as string });
    const wrong = await models("add", url, "--sha256", "0".repeat(64));
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining(sum(archive)) as string });
    expect([shelved(), readdirSync(join(shelf, ".downloads"))]).toEqual([[], []]);
    expect(await models("add", url, "--sha256", sum(archive))).toMatchObject({ code: 0, err: "" });
    expect([shelved(), readdirSync(join(shelf, ".downloads"))]).toEqual([["net-voice"], []]);
    // A file that changes later.
    writeFileSync(join(shelf, "net-voice/tone.onnx"), "no graph");
    expect(await models("verify", "net-voice")).toMatchObject({
      code: 1,
      out: expect.stringContaining("the graph cannot be loaded") as string,
    });
    rmSync(join(shelf, "net-voice"), { recursive: true });
  });

  it("brings a single graph and the configuration beside it", async () => {
    const [graph, config] = ["tone.onnx", "tone.onnx.json"].map((name) => readFileSync(join(voice, name)) as Buffer);
    served.set("/en_US-tone.onnx", graph as Buffer).set("/en_US-tone.onnx.json", config as Buffer);
    const url = `${filesUrl}/en_US-tone.onnx`;
    const sums = ["--sha256", sum(graph as Buffer), "--config-sha256", sum(config as Buffer)];
    expect(await models("add", url, ...sums)).toMatchObject({ code: 0, err: "" });
    expect(shelved()).toEqual(["en_US-tone"]);
    rmSync(join(shelf, "en_US-tone"), { recursive: true });
  });

  it("keeps nothing of what cannot be served, and says why", async () => {
    const bad = join(directory, "bad");
    cpSync(voice, bad, { recursive: true });
    const graph = readFileSync(join(bad, "tone.onnx"));
    writeFileSync(
      join(bad, "tone.onnx"),
      Buffer.from(graph.toString("latin1").replaceAll("CumSum", "CumSam"), "latin1"),
    );
    expect(await models("add", bad)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the model bad cannot be served: .*CumSam/) as string,
    });
    const empty = join(directory, "empty");
    mkdirSync(empty);
    expect((await models("add", empty)).err).toMatch(/holds no model that is known here/);
    expect((await models("add", join(directory, "nowhere"))).err).toMatch(/is no folder/);
    expect((await models("add", directory)).err).toMatch(new RegExp(`holds 2 models.*${basename(voice)}`));
    expect(shelved()).toEqual([]);
  });
});
