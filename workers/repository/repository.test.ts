import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { loadEngines } from "../engines/load.js";
import { writeToneVoice } from "../engines/onnx/testing/tone-voice.js";
import { openRepository } from "./repository.js";

const directory = mkdtempSync(join(tmpdir(), "parley-repository-"));
let root = "";
let count = 0;

beforeEach(() => {
  root = join(directory, String(count++));
  mkdirSync(root);
});
afterAll(() => rmSync(directory, { recursive: true }));

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

function describedVoice(name: string, change: (yaml: string) => string = (yaml) => yaml): string {
  const folder = join(root, name);
  const { graph, voice } = writeToneVoice(folder, "tone");
  const yaml = [
    `name: ${name}`,
    "task: speak",
    "engine: onnx",
    "licence: CC0-1.0",
    "files:",
    `  graph: { path: tone.onnx, sha256: ${sha256(graph)} }`,
    `  voice: { path: tone.onnx.json, sha256: ${sha256(voice)} }`,
    "languages: [en]",
    "",
  ].join("\n");
  writeFileSync(join(folder, "model.yaml"), change(yaml));
  return folder;
}

/** Why models do not load, by their names. */
const reasons = async (): Promise<Map<string, string>> => {
  const loaded = await loadEngines(await openRepository([root], []), {
    slots: 1,
    providers: ["cpu"],
    log: createLogger("test", "silent"),
    clock: systemClock,
  });
  await loaded.close();
  return new Map(loaded.broken.map((model) => [model.name, model.reason]));
};

describe("the model repository", () => {
  it("loads described folders and bare Piper voices side by side", async () => {
    describedVoice("described");
    writeToneVoice(join(root, "bare"), "en_US-tone-low");
    mkdirSync(join(root, "not-a-model"));
    const { models, broken } = await openRepository([root], []);
    expect(broken).toEqual([]);
    expect(models.map(({ manifest }) => manifest.name)).toEqual(["bare", "described"]);
    expect(models[0]?.manifest.files.graph?.path).toBe("en_US-tone-low.onnx");
  });

  it("takes the former names of tasks", async () => {
    for (const [name, task, engine, roles] of [
      ["recognizer", "listen", "ctc", ["graph", "tokens"]],
      ["detector", "detect", "tfjs", ["graph"]],
    ] as const) {
      mkdirSync(join(root, name));
      const files = roles.map((role) => `  ${role}: { path: ${role} }`);
      for (const role of roles) writeFileSync(join(root, name, role), "");
      writeFileSync(
        join(root, name, "model.yaml"),
        [`name: ${name}`, `task: ${task}`, `engine: ${engine}`, "licence: x", "files:", ...files, ""].join("\n"),
      );
    }
    const { models, broken } = await openRepository([root], []);
    expect(broken).toEqual([]);
    expect(models.map(({ manifest }) => manifest.task).sort()).toEqual(["transcribe", "vad"]);
  });

  it("takes a root that is itself a model folder, and only the models asked for", async () => {
    const folder = describedVoice("one");
    describedVoice("two");
    expect((await openRepository([folder], [])).models.map(({ manifest }) => manifest.name)).toEqual(["one"]);
    const chosen = await openRepository([root], ["two", "three"]);
    expect(chosen.models.map(({ manifest }) => manifest.name)).toEqual(["two"]);
    expect(chosen.broken).toEqual([{ folder: "", name: "three", reason: "no model folder has this name" }]);
  });

  it("serves the first of two models with one name", async () => {
    const first = describedVoice("same");
    const second = join(root, "other");
    mkdirSync(second);
    writeFileSync(join(second, "model.yaml"), "name: same\ntask: speak\nengine: espeak\nlicence: x\n");
    const { models, broken } = await openRepository([first, second], []);
    expect(models.map(({ folder }) => folder)).toEqual([first]);
    expect(broken[0]?.reason).toContain("taken");
  });

  it.each<[string, (yaml: string) => string, RegExp]>([
    ["a wrong digest", (yaml) => yaml.replace(/sha256: [0-9a-f]{4}/, "sha256: 0000"), /SHA-256/],
    ["a missing file", (yaml) => yaml.replace("path: tone.onnx,", "path: gone.onnx,"), /gone\.onnx .*missing/],
    ["a file outside the folder", (yaml) => yaml.replace("path: tone.onnx,", "path: ../../tone.onnx,"), /inside/],
    ["broken YAML", () => "name: [unclosed", /cannot be read/],
    ["YAML that is no map", () => "42", /model\.yaml/],
    ["a misspelt key", (yaml) => `${yaml}max_batch: 4\n`, /max_batch/],
    ["no licence", (yaml) => yaml.replace(/licence.*\n/, ""), /licence/],
    ["an unknown engine", (yaml) => yaml.replace("engine: onnx", "engine: magic"), /engine/],
    ["a sample rate that the voice does not have", (yaml) => `${yaml}sampleRate: 16000\n`, /16000/],
    ["shrinking buckets", (yaml) => `${yaml}buckets: [128, 64]\n`, /grow/],
  ])("reports %s and serves the others", async (_what, change, reason) => {
    describedVoice("bad", change);
    describedVoice("good");
    const found = await reasons();
    expect(found.get("bad")).toMatch(reason);
    expect([...found.keys()]).toEqual(["bad"]);
  });

  it.each<[string, (folder: string) => void, RegExp]>([
    [
      "a graph that is none",
      (folder) => writeFileSync(join(folder, "tone.onnx"), "no graph"),
      /graph cannot be loaded/,
    ],
    [
      "an operator that does not exist",
      (folder) => replaceBytes(join(folder, "tone.onnx"), "CumSum", "CumSam"),
      /CumSam/,
    ],
    [
      "an input under another name",
      (folder) => replaceBytes(join(folder, "tone.onnx"), "input_lengths", "input_lengthz"),
      /input_lengths/,
    ],
    ["JSON that is none", (folder) => writeFileSync(join(folder, "tone.onnx.json"), "{"), /JSON/],
    ["a front end that is not there", (folder) => editJson(folder, { phoneme_type: "pinyin" }), /pinyin/],
    ["no symbols", (folder) => editJson(folder, { phoneme_id_map: { a: [1] } }), /phoneme_id_map/],
    ["one speaker where the graph has several", (folder) => editJson(folder, { num_speakers: 1 }), /sid/],
  ])("reports a Piper voice with %s", async (_what, spoil, reason) => {
    const folder = join(root, "piper");
    writeToneVoice(folder, "tone");
    spoil(folder);
    expect((await reasons()).get("piper")).toMatch(reason);
  });

  it("reports a voice without its JSON, and a link that leads to nothing, in a folder of models only", async () => {
    describedVoice("whole");
    rmSync(writeToneVoice(join(root, "half"), "tone").voice);
    symlinkSync(join(root, "gone"), join(root, "link"));
    writeFileSync(join(root, "stray.onnx"), "beside the folders");
    const { models, broken } = await openRepository([root], []);
    expect(models.map(({ manifest }) => manifest.name)).toEqual(["whole"]);
    expect(broken.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "link: the link leads to nothing",
      expect.stringMatching(/^half: holds tone.onnx, but no/),
    ]);
    expect((await openRepository([root], ["whole"])).broken).toEqual([]);
  });

  it("reports a root that does not exist", async () => {
    const { broken } = await openRepository([join(root, "nowhere")], []);
    expect(broken).toMatchObject([{ name: "nowhere", reason: "the folder does not exist" }]);
  });
});

function replaceBytes(path: string, from: string, to: string): void {
  writeFileSync(path, Buffer.from(readFileSync(path).toString("latin1").replaceAll(from, to), "latin1"));
}

function editJson(folder: string, change: object): void {
  const path = join(folder, "tone.onnx.json");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), ...change }));
}
