import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createFileDurably, isDraft, moveDurably, writeFileDurably } from "./durable-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-durable-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});
const mode = (path: string): number => statSync(path).mode & 0o777;

describe("a durable file", () => {
  it("is replaced as a whole, for its owner only, and leaves no draft", () => {
    const path = join(folder, "key");
    writeFileSync(path, "the earlier one, which was longer", { mode: 0o644 });
    writeFileDurably(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(mode(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  it("is what it was when the new one cannot be written", () => {
    const path = join(folder, "key");
    writeFileDurably(path, "old");
    // A folder of that name in the way of the rename.
    mkdirSync(join(folder, "taken/full"), { recursive: true });
    expect(() => writeFileDurably(join(folder, "taken"), "new")).toThrow();
    expect(() => writeFileDurably(join(folder, "nowhere/key"), "new")).toThrow("ENOENT");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder).sort()).toEqual(["key", "taken"]);
  });

  it("is made by one of several writers", () => {
    const path = join(folder, "key");
    expect(createFileDurably(path, "first")).toBe(true);
    expect(createFileDurably(path, "second")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("first");
    expect(readdirSync(folder)).toEqual(["key"]);
  });
});

it("knows the drafts of killed writers by their names", () => {
  expect([".key.0123456789ab.part", "key", ".key", "key.part", ".env"].filter(isDraft)).toEqual([
    ".key.0123456789ab.part",
  ]);
});

it("moves a folder, and a link without what it points at", () => {
  mkdirSync(join(folder, "from/deep"), { recursive: true });
  writeFileSync(join(folder, "from/deep/file"), "content");
  symlinkSync(join(folder, "nowhere"), join(folder, "from/broken"));
  moveDurably(join(folder, "from"), join(folder, "to"));
  expect(readFileSync(join(folder, "to/deep/file"), "utf8")).toBe("content");
  symlinkSync(join(folder, "to"), join(folder, "link"));
  moveDurably(join(folder, "link"), join(folder, "moved"));
  expect(existsSync(join(folder, "moved/deep/file"))).toBe(true);
});
