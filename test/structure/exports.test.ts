import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Export, exportsOf, importsOf, isUsedInside, unusedExports } from "./exports.js";
import { isTest, readSources, root, type Source } from "./sources.js";

/** Written for callers that are still to come, and tested until then. */
const waiting = ["control-plane/agents/references.ts publishedWebhookEndpoints"];

/** What is called by its name, as text: by another thread, or by the launcher before anything is compiled. */
const calledByName = [
  "audio/decoding/decoder-thread.ts decode",
  "audio/decoding/decoder-thread.ts measure",
  "audio/decoding/decoder-thread.ts pieces",
  "audio/decoding/decoder-thread.ts survey",
];

/** What the package of the widget exports: its users are elsewhere. */
const published = ["web/call/index.ts Call", "web/call/index.ts CallFailure", "web/call/index.ts readSession"];

/** In rooms whose pipelines are being rebuilt: they go with what they belong to. */
const rebuilt = [
  "edge/compat/elevenlabs/error-status.ts elevenLabsStatuses",
  "edge/compat/elevenlabs/library.ts toElevenLabsVoice",
  "edge/compat/openai/models.ts listModels",
  "transcription/metrics.ts noTranscriptionMetrics",
  "transcription/segmentation/windows.ts detectionWindows",
  "transcription/segmentation/windows.ts joinDetections",
];

const sources = readSources();
const scripts = readScripts();
const product = sources.filter((source) => !isTest(source));
const benchmarks = sources.filter(({ room }) => room === "bench");
const users = [...product, ...benchmarks, ...scripts];
const label = ({ path, name }: Export): string => `${path} ${name}`;

describe("the exports of the product", () => {
  it("are imported by somebody", () => {
    const unused = unusedExports(product, [...sources, ...scripts]).map(label);
    expect(unused.filter((name) => ![...calledByName, ...published, ...rebuilt].includes(name))).toEqual([]);
    expect([...calledByName, ...published].filter((name) => !unused.includes(name))).toEqual([]);
  });

  it("are not there for tests alone", () => {
    const byPath = new Map(product.map((source) => [source.path, source]));
    const unused = unusedExports(product, users).filter(({ path, name }) => {
      const source = byPath.get(path);
      return source !== undefined && !isUsedInside(source, name);
    });
    const found = unused.map(label).filter((name) => !calledByName.includes(name));
    expect(found.filter((name) => ![...waiting, ...published, ...rebuilt].includes(name))).toEqual([]);
    expect(waiting.filter((name) => !found.includes(name))).toEqual([]);
  });

  it("are read from every form of declaration, import and use", () => {
    const text = [
      "export const a = 1;",
      "export async function b() {}",
      "export class C {}",
      "/** a */",
      'export { d, e as f } from "./other.js";',
      "export interface G {}",
      'import { type H, i as j } from "#common/clock";',
      `const k = await import(${JSON.stringify("./lazy.js")});`,
      "use(b);",
    ].join("\n");
    const source: Source = {
      path: "common/x.ts",
      room: "common",
      text,
      lines: 9,
      imports: { files: [], packages: [] },
    };
    expect(exportsOf(source).map(({ name }) => name)).toEqual(["a", "b", "C", "d", "f"]);
    expect(importsOf(source)).toEqual([
      { file: "common/other.ts", names: ["d", "e"] },
      { file: "common/clock.ts", names: ["H", "i"] },
      { file: "common/lazy.ts", names: ["*"] },
    ]);
    expect([isUsedInside(source, "a"), isUsedInside(source, "b")]).toEqual([false, true]);
  });
});

/** Scripts outside the compiled rooms that import compiled files. */
function readScripts(): Source[] {
  return ["launcher", "models/training"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".mjs"))
      .map((name) => ({
        path: `${folder}/${name}`,
        room: "launcher" as const,
        text: readFileSync(join(root, folder, name), "utf8"),
        lines: 0,
        imports: { files: [], packages: [] },
      })),
  );
}
