import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { declaration } from "#common/config/config";
import { errorCatalogue } from "#protocol/errors";
import { readInstalled, readRootPackage } from "../../cli/docs/dependencies-page.js";
import { generatedFiles } from "../../cli/docs/generated-files.js";
import { root } from "./sources.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("generated pages", () => {
  it.each(Object.entries(generatedFiles(root)))("has %s as `npm run docs` would write it", (path, content) => {
    expect(read(path)).toBe(content);
  });

  it("names every setting and every error", () => {
    for (const name of Object.keys(declaration)) {
      expect(read("docs/configuration.md")).toContain(`\`${name}\``);
      expect(read(".env.example")).toContain(`\n#${name}=`);
    }
    for (const code of Object.keys(errorCatalogue)) expect(read("docs/errors.md")).toContain(`\`${code}\``);
  });
});

describe("dependencies", () => {
  const manifest = readRootPackage(root);
  const listed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
  const page = read("docs/dependencies.md");

  it.each(Object.keys(listed))("says why %s is there, its version and its licence", (name) => {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toBeDefined();
    const [, , version = "", licence = "", reason = ""] = (row ?? "").split("|").map((cell) => cell.trim());
    const installed = readInstalled(root, name);
    expect(licence).toBe(installed.license);
    expect(version.endsWith(installed.version)).toBe(true);
    expect(reason.length).toBeGreaterThan(5);
  });

  it("gives no reason for what is not there", () => {
    expect(Object.keys(manifest.dependencyReasons).filter((name) => !(name in listed))).toEqual([]);
  });

  it("has every licence compatible with an Apache-2.0 product, GPL only in the separate program", () => {
    const gentle = /^(MIT|ISC|Apache-2\.0|MPL-2\.0|BSD-[23]-Clause|MIT OR Apache-2\.0)$/;
    const others = Object.keys(listed).filter((name) => !gentle.test(readInstalled(root, name).license));
    expect(others).toEqual(["@echogarden/espeak-ng-emscripten"]);
  });

  it("pins exact versions, and the lock file agrees", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { dependencies?: object; devDependencies?: object; optionalDependencies?: object }>;
    };
    expect(lock.packages[""]?.dependencies).toEqual(manifest.dependencies);
    expect(lock.packages[""]?.devDependencies).toEqual(manifest.devDependencies);
    expect(lock.packages[""]?.optionalDependencies).toEqual(manifest.optionalDependencies);
    const loose = Object.entries(listed).filter(
      ([, version]) => !/^(npm:[\w.@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it("decides on every install script by name", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; os?: string[] }>;
    };
    const manifestScripts = (JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> })
      .allowScripts;
    const withScripts = Object.entries(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript === true && (entry.os === undefined || entry.os.includes("linux")))
      .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
    expect(withScripts.filter((name) => !(name in manifestScripts))).toEqual([]);
    expect(Object.values(manifestScripts).every((allowed) => allowed === false)).toBe(true);
  });
});
