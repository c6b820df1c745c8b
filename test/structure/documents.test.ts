import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources, rooms, root } from "./sources.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

const documents = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...documents.map((name) => `docs/${name}`)];
const sources = readSources();

/** A path of the repository: it begins with a room or another folder that has a place at the top. */
const named = `(?:${[...rooms, "docs", "bin", "models", "observability"].join("|")})/[\\w./-]*`;
const inBackticks = new RegExp(`\`(${named})\``, "g");
/** Pages and sources that a comment names, with backticks or without. */
const inComments = new RegExp(`(?<![\\w./#-])(${named}\\.(?:md|ts|mjs|py|yaml|json))(?![\\w/])(?: "([^"]+)")?`, "g");
const links = /\]\((?!https?:)([^)\s]*)\)/g;

/** What the paths and links of a page lead to, from the project folder, and the headings that they name. */
function targetsOf(page: string): { path: string; anchor: string | undefined }[] {
  const text = read(page);
  const paths = [...text.matchAll(inBackticks)].map(([, path = ""]) => ({ path, anchor: undefined }));
  const linked = [...text.matchAll(links)].map(([, target = ""]) => {
    const [path = "", anchor] = target.split("#");
    return { path: path === "" ? page : normalize(join(dirname(page), path)), anchor };
  });
  return [...paths, ...linked];
}

const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");

describe("documents", () => {
  it.each(pages)("%s names files that exist, and headings that exist", (page) => {
    const lost = targetsOf(page)
      .filter(
        ({ path, anchor }) =>
          !existsSync(join(root, path)) || (anchor !== undefined && !headingsOf(path).map(anchorOf).includes(anchor)),
      )
      .map(({ path, anchor }) => (anchor === undefined ? path : `${path}#${anchor}`));
    expect(lost).toEqual([]);
  });

  it("that comments name exist, with the headings in quotes after them", () => {
    const lost = sources.flatMap(({ path, text }) => {
      const comments = (text.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? []).map((comment) =>
        comment.replace(/\s*\n\s*\*\s?/g, " "),
      );
      return comments
        .flatMap((comment) => [...comment.matchAll(inComments)])
        .filter(
          ([, file = "", heading]) =>
            !existsSync(join(root, file)) || (heading !== undefined && !headingsOf(file).includes(heading)),
        )
        .map(([found]) => `${path}: ${found}`);
    });
    expect(lost).toEqual([]);
  });

  it("are all in the README's list", () => {
    const listed = targetsOf("README.md").map(({ path }) => path);
    expect(pages.slice(1).filter((page) => !listed.includes(page))).toEqual([]);
  });

  it("keep the glossary to 25 entries, and the README below 130 lines", () => {
    const glossary = read("docs/architecture.md").split("## Glossary")[1] ?? "";
    expect(glossary.match(/^\| (?!word |-)/gm)?.length).toBeLessThanOrEqual(25);
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(130);
  });

  it("list the subjects of the bus", () => {
    const declared = sources
      .filter(({ path }) => path.startsWith("protocol/bus/"))
      .flatMap(({ text }) => [...text.matchAll(/[`"](parley\.[^`"]+)[`"]/g)])
      .map(([, subject = ""]) => subject.replace(/\$\{\w+\}/g, "<id>"));
    const listed = [...read("docs/protocol.md").matchAll(/`(parley\.[^`]+)`/g)].map(([, subject]) => subject);
    expect([...new Set(listed)].sort()).toEqual([...new Set(declared)].sort());
  });
});
