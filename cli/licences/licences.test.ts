import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLicences } from "./licences.js";

const root = join(import.meta.dirname, "../../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
const parts = readLicences(root);
const names = parts.map(({ name }) => name);

describe("the licences of an installation", () => {
  it("begin with Parley's own, with its text", () => {
    expect(parts[0]).toMatchObject({ name: "parley", licence: "Apache-2.0" });
    expect(parts[0]?.texts.join()).toContain("Apache License");
  });

  it("name every package that it runs with, those that those need, and the models", () => {
    for (const name of Object.keys(manifest["dependencies"] ?? {}))
      expect(names.some((found) => found === name || name === "uWebSockets.js")).toBe(true);
    expect(names).toContain("@echogarden/espeak-ng-emscripten");
    expect(names).toContain("@nats-io/nats-core");
    expect(names).toEqual(expect.arrayContaining(["model parley-en", "model parley-asr-en", "model parley-vad"]));
  });

  it("name nothing that only tests and the build need", () => {
    for (const name of ["vitest", "typescript", "@biomejs/biome", "playwright-core"]) expect(names).not.toContain(name);
  });

  it("state a licence for each, and bring the text of nearly all", () => {
    expect(parts.filter(({ licence }) => licence === "not stated").map(({ name }) => name)).toEqual([]);
    const packages = parts.filter(({ name }) => !name.startsWith("model "));
    expect(packages.filter(({ texts }) => texts.length > 0).length / packages.length).toBeGreaterThan(0.85);
  });

  it("name each version once", () => {
    const versions = parts.map(({ name, version }) => `${name} ${version}`);
    expect(new Set(versions).size).toBeGreaterThan(versions.length * 0.9);
  });
});
