import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { checkSync, type Parameters } from "recheck";
import { describe, expect, it } from "vitest";
import { isThorough } from "../harness/thorough.js";
import type { Constructed } from "./constructed-expressions.js";
import { type Expression, isBounded, literalsOf } from "./expressions.js";
import { isTest, readSources, root } from "./sources.js";

const product = readSources().filter((source) => !isTest(source));

/** Longest time for all of them; each that has Unicode classes or looks around takes the checker a second. */
const ALL_MS = 600_000;

/**
 * The checker's bounds are counts, not times: the same expression gets the same verdict on a slow machine. Its
 * JavaScript part does.
 */
const bounds: Parameters = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };
process.env["RECHECK_SYNC_BACKEND"] = "pure";

/**
 * Expressions that are slow on long text and only ever see text of a length that something else bounds, by `path:
 * /source/flags`, each with what bounds it and to how much. There is none.
 */
const exceptions: Readonly<Record<string, string>> = {};

/**
 * Each takes the checker seconds. Its verdict is a matter of the text alone, which stands here to the letter: one that
 * is changed is checked in every run, and these in a thorough one.
 */
const foundSafe = new Set([
  String.raw`/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g`,
  String.raw`/^[+-]?(?:[\d.,]+|[a-z]{1,2}|\d[a-z])[²³]?(?:(?:[<>!=]=|[-–+=×*÷/<>≤≥≠±^≈])-?(?:[\d.,]+|[a-z]{1,2}|\d[a-z])[²³]?){1,20}$/i`,
  String.raw`/^([$€£¥]?)(\d[\d.,:]*)(%|k|K|m|M|bn|°|[ap]m|s)?[-–]([$€£¥]?)(\d[\d.,:]*)(.{0,12})$/u`,
  String.raw`/[—…|[\]{}]+|--+|\.\.+|(?<=\p{L})[,;:!?()"]+(?=\p{L})|(?<=[\p{L}\p{N}])\((?=[\p{L}\p{N}])|(?<=\p{L})\.(?=\p{Lu}\p{Ll})|(?<=^[ap]m)[-–](?=\d)/gu`,
  String.raw`/^[\w, -]{1,1000}$/`,
  String.raw`/\p{Sc}?[\p{L}\p{N}\p{M}]+(?:(?:(?<=\p{N}),(?=\p{N})|['’.\-_@:/&])[\p{L}\p{N}\p{M}]+)*[%°\p{Sc}]?/gu`,
]);

/** What is wrong with an expression; null when hostile text costs no more than its length. */
function findingOf({ source, flags }: Pick<Expression, "source" | "flags">): string | null {
  if (isBounded(source, flags)) return null;
  const { status, complexity, attack } = checkSync(source, flags, bounds) as {
    status: string;
    complexity?: { summary: string };
    attack?: { pattern: string };
  };
  return status === "safe" ? null : `${status}: ${complexity?.summary ?? ""} on ${attack?.pattern ?? ""}`;
}

/** A source as JavaScript where markup stands in it, which the reader of expressions does not know. */
const withoutMarkup = (path: string, text: string): string =>
  path.endsWith(".tsx") ? readFileSync(join(root, "dist", path.replace(/\.tsx$/, ".js")), "utf8") : text;

describe("the regular expressions of the product", () => {
  const written = product.flatMap(({ path, text }) =>
    literalsOf(withoutMarkup(path, text)).map((expression) => ({ path, ...expression })),
  );
  const constructing = product.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ path }) => path);

  it("are all found", () => {
    expect(written.length).toBeGreaterThan(400);
    for (const { source, flags } of written) expect(() => new RegExp(source, flags)).not.toThrow();
    const texts = new Set(written.map(({ source, flags }) => `/${source}/${flags}`));
    expect([...foundSafe].filter((text) => !texts.has(text))).toEqual([]);
    // An expression made from a variable text when it is used cannot be checked: make it where its module is loaded.
    const callers = constructed(constructing);
    expect([...new Set(callers.map(({ path }) => path))].sort()).toEqual([...constructing].sort());
  });

  it("take time that grows with the text and no faster", { timeout: ALL_MS }, async () => {
    const findings: string[] = [];
    const verdicts = new Map<string, string | null>();
    for (const { path, source, flags } of [...written, ...constructed(constructing)]) {
      const text = `/${source}/${flags}`;
      if (!isThorough && foundSafe.has(text)) continue;
      if (!verdicts.has(text)) verdicts.set(text, findingOf({ source, flags }));
      const finding = verdicts.get(text) ?? null;
      if (finding !== null && exceptions[`${path}: ${text}`] === undefined)
        findings.push(`${path}: ${text} is ${finding}`);
      await nextTurn();
    }
    expect(findings).toEqual([]);
  });

  it("would be refused if they took more", () => {
    for (const [source, flags] of [
      ["^ {0,3}(#{1,6})\\s+(.+?)\\s*#*\\s*$", ""],
      ["\\s+$", ""],
      ["(?<=a)\\p{L}+$", "u"],
      ["^(a|b|ab)*$", ""],
    ] as const) {
      expect([source, findingOf({ source, flags })]).toEqual([
        source,
        expect.stringMatching(/^vulnerable: (exponential|\d\w\w degree polynomial)/),
      ]);
    }
  });
});

describe("literalsOf", () => {
  it.each<[string, string[]]>([
    ["const a = /x+/gu;", ["x+/gu"]],
    ["const a = b / c / d;", []],
    ["f(a) / 2 + (b / c) / e[1] / 2; // no /x/ here", []],
    ['if (a.b("/")) /x/.exec(c); else /y/.exec(c);', ["x/", "y/"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code, which is not to be filled.
    ["return /a/.test(b) ? /[/]\\//i : `${/c/.source}/${`/d/`}/${1 / 2}`;", ["a/", "[/]\\//i", "c/"]],
    ["/* /a/ */ const b = c! / 2 / d; const e = !/f/.test(g);", ["f/"]],
    ["a.replace(/b/, '/c/').split(/d/)", ["b/", "d/"]],
    ["const { a } = b;\n/c/.test(a);", ["c/"]],
    ["#field / 2 / 3; case_/1/2; typeof /a/;", ["a/"]],
  ])("of %s", (text, expected) => {
    expect(literalsOf(text).map(({ source, flags }) => `${source}/${flags}`)).toEqual(expected);
  });

  it("refuses what it cannot decide", () => {
    expect(() => literalsOf("const a = {} / b / c;")).toThrow("could be");
  });
});

describe("isBounded", () => {
  it.each([
    ["\\p{Script=Thai}", true],
    ["^(?:\\p{Lu}|[\\p{Lt}*+])$", true],
    ["(?<=a)b?[^\\]+]{1,80}\\*(?!c|d)", true],
    ["\\p{L}+", false],
    ["a*", false],
    ["a{2,}", false],
    ["[a]+", false],
    ["(?:ab?){0,30}", false],
    ["a{0,40}a{0,40}", false],
  ])("of %s", (source, expected) => {
    expect(isBounded(source, "u")).toBe(expected);
  });

  it("leaves nested classes to the checker", () => {
    expect(isBounded("[[a]]", "v")).toBe(false);
  });
});

/** What modules construct while they are loaded, by the path of their source. */
function constructed(paths: readonly string[]): { path: string; source: string; flags: string }[] {
  const compiled = new Map(paths.map((path) => [join(root, "dist", path.replace(/\.tsx?$/, ".js")), path]));
  const program = join(root, "dist/test/structure/constructed-expressions.js");
  const found = JSON.parse(
    execFileSync(process.execPath, [program, ...compiled.keys()], { encoding: "utf8" }),
  ) as Constructed[];
  return found.map(({ module, source, flags }) => ({ path: compiled.get(module) ?? module, source, flags }));
}
