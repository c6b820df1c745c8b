import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { type ModelLimits, modelLimits } from "../limits.js";
import { makeZip } from "#common/testing/make-zip";
import { type MadeEntry, makeTar } from "./testing/make-archives.js";
import { unpackArchive } from "./unpack.js";

const directory = mkdtempSync(join(tmpdir(), "parley-unpack-"));
let count = 0;
afterAll(() => rmSync(directory, { recursive: true }));

/** Unpacks an archive into a folder of its own; gives the folder. */
async function unpacked(archive: Uint8Array, limits: Partial<ModelLimits> = {}): Promise<string> {
  const into = join(directory, `case-${count++}`, "into");
  mkdirSync(into, { recursive: true });
  const path = join(into, "../archive");
  writeFileSync(path, archive);
  await unpackArchive(path, into, { ...modelLimits, ...limits });
  return into;
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const long = "x".repeat(5000);
const voice: readonly MadeEntry[] = [
  { name: "voice/", type: "5", mode: 0o040755 },
  { name: "voice/a.onnx", content: long },
  { name: "./voice/sub/b.json", content: "{}" },
  { name: "voice/empty" },
];
const makers = { tar: makeTar, "tar.gz": (entries: readonly MadeEntry[]) => gzipSync(makeTar(entries)), zip: makeZip };

describe.each(Object.entries(makers))("unpacking %s", (kind, make) => {
  it("makes the files and folders that are in it", async () => {
    const folder = await unpacked(make(voice));
    expect(files(folder)).toEqual(["voice/a.onnx", "voice/empty", "voice/sub/b.json"]);
    expect(readFileSync(join(folder, "voice/a.onnx"), "utf8")).toBe(long);
  });

  it.each<[string, MadeEntry, RegExp]>([
    ["an absolute path", { name: "/etc/passwd", content: "x" }, /absolute/],
    ["a path that leads out", { name: "voice/../../out", content: "x" }, /leads out/],
    ["a backslash", { name: "..\\out", content: "x" }, /not allowed/],
    ["a line end in a name", { name: "a\nb", content: "x" }, /not allowed/],
    ["a drive", { name: "C:x", content: "x" }, /not allowed/],
    ["a link", { name: "link", content: kind === "zip" ? "/etc/passwd" : "", type: "2", mode: 0o120777 }, /link/],
    ["a file twice", { name: "voice/a.onnx", content: "other" }, /twice/],
    ["a file below a file", { name: "voice/a.onnx/b", content: "x" }, /twice/],
    ["deep folders", { name: `${"d/".repeat(20)}x`, content: "x" }, /deep/],
  ])("refuses %s and writes nothing outside", async (_what, entry, reason) => {
    const before = readdirSync(directory).length;
    await expect(unpacked(make([...voice, entry]))).rejects.toThrow(reason);
    expect(readdirSync(directory).length).toBe(before + 1);
    expect(readdirSync(join(directory, `case-${count - 1}`)).sort()).toEqual(["archive", "into"]);
  });

  it("keeps the bounds of files and bytes", async () => {
    await expect(unpacked(make(voice), { files: 3 })).rejects.toThrow(/more than 3 files/);
    await expect(unpacked(make(voice), { unpackedBytes: 4999 })).rejects.toThrow(/more than 4999 bytes/);
  });

  it("says that a damaged or broken-off archive is", async () => {
    const whole = Buffer.from(make(voice));
    await expect(unpacked(whole.subarray(0, whole.length >> 1))).rejects.toThrow(/damaged|too early/);
    const middle = Buffer.from(whole);
    for (let at = 20; at < 90; at++) middle[at] = 0xaa;
    await expect(unpacked(middle)).rejects.toThrow();
  });
});

describe("unpacking", () => {
  it("reads what tar itself writes, with long names in both its forms", async () => {
    const folder = join(directory, "source");
    const name = `${"long-name-".repeat(12)}.onnx`;
    mkdirSync(folder);
    writeFileSync(join(folder, name), long);
    for (const form of ["gnu", "pax"]) {
      const archive = execFileSync("tar", ["-C", folder, `--format=${form}`, "-czf", "-", "."]);
      const made = await unpacked(archive);
      expect(files(made)).toEqual([name]);
      expect(readFileSync(join(made, name), "utf8")).toBe(long);
    }
  });

  it("refuses a zip entry that is longer than it says, and one that is something else", async () => {
    await expect(unpacked(makeZip([{ name: "bomb", content: "x".repeat(100_000), statedBytes: 10 }]))).rejects.toThrow(
      /longer than it says/,
    );
    const changed = makeZip([{ name: "a", content: "hello" }]);
    changed.writeUInt32LE(1, changed.indexOf("PK\u0001\u0002") + 16);
    await expect(unpacked(changed)).rejects.toThrow(/not what the directory says/);
  });

  it("reads on after a file whose content goes nowhere", async () => {
    const folder = await unpacked(
      makeTar([
        { name: ".", content: "x".repeat(300_000) },
        { name: "a", content: "x" },
      ]),
    );
    expect(files(folder)).toEqual(["a"]);
  });

  it.each(["x", "g", "L"])("does not hold a huge extension header of type %s in memory", async (type) => {
    const archive = makeTar([{ name: "header", type, content: "x".repeat(8192), statedBytes: 2 ** 32 }]);
    await expect(unpacked(archive)).rejects.toThrow("the archive is damaged: Header exceeds max size");
  });

  it("refuses an entry whose size is no number", async () => {
    const archive = makeTar([{ name: "a", content: "x", sizeField: Buffer.from([0xb0]) }]);
    await expect(unpacked(archive)).rejects.toThrow("the archive is damaged: an entry has no size");
  });

  it("refuses an encrypted zip archive", async () => {
    const archive = makeZip([{ name: "a", content: "hello" }]);
    archive.writeUInt16LE(1, archive.indexOf("PK\u0001\u0002") + 8);
    await expect(unpacked(archive)).rejects.toThrow(/encrypts a/);
  });

  it.each([
    ["bzip2", "BZh91AY"],
    ["xz", "\u00fd7zXZ\0"],
  ])("names %s, which it does not read", async (name, head) => {
    await expect(unpacked(Buffer.from(head.padEnd(600, "x"), "latin1"))).rejects.toThrow(
      new RegExp(`^${name} is not read here`),
    );
  });

  it("refuses what is no archive, and an empty one", async () => {
    await expect(unpacked(Buffer.from("hello"))).rejects.toThrow(/neither/);
    await expect(unpacked(gzipSync(Buffer.alloc(1024)))).rejects.toThrow(/empty/);
  });
});
