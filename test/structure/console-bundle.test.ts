import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { root } from "./sources.js";

const bundle = join(root, "dist/console");
const MOST_FIRST_LOAD_BYTES = 300 * 1024;

/** A file of the bundle, and what it needs before it runs. */
interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
  assets?: string[];
}

const chunks = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")) as Record<string, Chunk>;

/** The files that a browser loads before it can run these chunks. */
function filesOf(names: readonly string[]): Set<string> {
  const seen = new Set(names);
  for (const name of seen) for (const needed of chunks[name]?.imports ?? []) seen.add(needed);
  return new Set([...seen].flatMap((name) => [chunks[name]?.file ?? "", ...(chunks[name]?.css ?? [])]));
}

const gzippedBytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(bundle, file)), { level: 9 }).byteLength, 0);

describe("the console's bundle", () => {
  it("loads less than 300 KB, compressed, at the first visit", () => {
    const entry = Object.keys(chunks).filter((name) => chunks[name]?.isEntry === true);
    expect(entry).toHaveLength(1);
    const files = filesOf([...entry, "home/home.tsx"]);
    expect([...files].filter((file) => file.endsWith(".js")).length).toBeGreaterThan(1);
    expect(gzippedBytes(files) + gzippedBytes(["index.html"])).toBeLessThan(MOST_FIRST_LOAD_BYTES);
  });

  it("holds React as it is for users, not as it is for its developers", () => {
    const code = [...filesOf(Object.keys(chunks))].map((file) => readFileSync(join(bundle, file), "utf8")).join("");
    expect(code).not.toContain("Invalid hook call. Hooks can only be called inside of the body");
  });

  it("names every file by its content, and has each that is worth it compressed", () => {
    const names = readdirSync(join(bundle, "assets")).filter((name) => !/\.(br|gz)$/.test(name));
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      expect(name).toMatch(/-[\w-]{8}\.\w+$/);
      const file = join(bundle, "assets", name);
      const plain = readFileSync(file);
      if (plain.byteLength < 1000) continue;
      expect([name, brotliDecompressSync(readFileSync(`${file}.br`)).equals(plain)]).toEqual([name, true]);
      expect([name, gunzipSync(readFileSync(`${file}.gz`)).equals(plain)]).toEqual([name, true]);
    }
    expect(existsSync(join(bundle, "index.html.br"))).toBe(true);
  });

  it("has no inline script or style, and fetches nothing from another host", () => {
    const html = readFileSync(join(bundle, "index.html"), "utf8");
    expect(html.match(/<script(?![^>]*\ssrc="\/console\/)[^>]*>/g)).toBeNull();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/i);
    expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].filter(([, to = ""]) => !to.startsWith("/console/"))).toEqual(
      [],
    );
  });
});
