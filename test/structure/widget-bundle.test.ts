import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { root } from "./sources.js";

const bundle = join(root, "dist/widget");
const MOST_BYTES = 120 * 1024;
const script = readFileSync(join(bundle, "widget.js"), "utf8");
const loaded = readdirSync(join(bundle, "widget")).filter((name) => name.endsWith(".js"));

describe("the widget's bundle", () => {
  it("is less than 120 KB, compressed, without LiveKit's client, which it loads by the hash in its name", () => {
    expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThan(MOST_BYTES);
    expect(loaded).toEqual([expect.stringMatching(/^livekit-[\w-]{8}\.js$/)]);
    expect(script).toContain(`widget/${loaded[0]}`);
    const client = readFileSync(join(bundle, "widget", loaded[0] ?? ""), "utf8");
    expect(client.length).toBeGreaterThan(2 * script.length);
    expect(client).toContain("RTCPeerConnection");
    expect(script).not.toContain("RTCPeerConnection");
  });

  it("is one script for every page: a classic one too, which leaves no name behind", () => {
    expect(() => new Script(script)).not.toThrow();
    expect(script).toMatch(/^\(function\(\)\{/);
    expect(script).not.toMatch(/import\.meta|\beval\(|new Function/);
  });

  it("has its style sheet in it, and writes no HTML", () => {
    expect(script).toContain("all:initial");
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });

  it("has each file compressed beside it", () => {
    for (const name of ["widget.js", `widget/${loaded[0]}`]) {
      const plain = readFileSync(join(bundle, name));
      expect(brotliDecompressSync(readFileSync(join(bundle, `${name}.br`))).equals(plain)).toBe(true);
      expect(gunzipSync(readFileSync(join(bundle, `${name}.gz`))).equals(plain)).toBe(true);
    }
  });
});
