import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeEach, expect, it } from "vitest";
import { createArchive } from "./archive-writer.js";
import { BACKUP_FORMAT, DATA_FOLDER, MANIFEST_FILE, OBJECTS_FOLDER } from "./manifest.js";
import { restoreBackup } from "./restore-backup.js";

const root = mkdtempSync(join(tmpdir(), "parley-restore-"));
let count = 0;
let file: string;
let dataDirectory: string;
beforeEach(() => {
  const folder = join(root, String(count++));
  mkdirSync(folder);
  [file, dataDirectory] = [join(folder, "a.backup"), join(folder, "data")];
});
afterAll(() => rmSync(root, { recursive: true }));

const manifest = { format: BACKUP_FORMAT, version: "9.9.9", madeAt: "2026-11-23T10:00:00.000Z", leftOut: [] };
const content = { "parley.json": "stamp", "secret-key": "s".repeat(64), "database/PG_VERSION": "18\n" };

async function write(change: Partial<Record<string, string>> = {}, says: object = manifest): Promise<void> {
  const archive = createArchive(file);
  await archive.addBytes(MANIFEST_FILE, Buffer.from(JSON.stringify(says)));
  for (const [name, text] of Object.entries({ ...content, ...change }))
    await archive.addBytes(name.startsWith(OBJECTS_FOLDER) ? name : `${DATA_FOLDER}/${name}`, Buffer.from(text ?? ""));
  await archive.finish();
}
const restore = (natsUrl: string | null = null) => restoreBackup({ file, dataDirectory, natsUrl });
/** What stands in the data directory; the lock's file stays, as everywhere. */
const found = (): string[] =>
  existsSync(dataDirectory) ? readdirSync(dataDirectory).filter((name) => name !== "launcher.lock") : [];

it("puts everything where it was, and says what it is", async () => {
  await write();
  expect(await restore()).toEqual({ manifest, objects: 0 });
  expect(found().sort()).toEqual(["database", "parley.json", "secret-key"]);
  for (const [name, text] of Object.entries(content))
    expect(readFileSync(join(dataDirectory, name), "utf8")).toBe(text);
});

it("takes an empty folder, and one that a restore left which was cut off", async () => {
  await write();
  mkdirSync(join(dataDirectory, "restoring/data"), { recursive: true });
  writeFileSync(join(dataDirectory, "restoring/data/half"), "");
  await restore();
  expect(found().sort()).toEqual(["database", "parley.json", "secret-key"]);
});

it.each<[string, () => Promise<void>, RegExp]>([
  ["no file", async () => undefined, /a\.backup cannot be read: ENOENT/],
  ["another file", async () => writeFileSync(file, "hello, I am no backup"), /is not a backup of Parley$/],
  ["an empty file", async () => writeFileSync(file, ""), /is not a backup of Parley$/],
  ["a packed text", async () => writeFileSync(file, gzipSync("x".repeat(4000))), /is not a backup of Parley$/],
  [
    "another archive",
    async () => {
      const archive = createArchive(file);
      await archive.addBytes("model.yaml", Buffer.from("x"));
      await archive.finish();
    },
    /is not a backup of Parley$/,
  ],
  [
    "a newer release's",
    () => write({}, { ...manifest, format: BACKUP_FORMAT + 1, more: true }),
    /was made by a newer release, Parley 9\.9\.9 \(format 2; this one knows 1\)$/,
  ],
  ["one that says nothing of itself", () => write({}, {}), /is cut off or damaged: what it says of itself/],
  [
    "one without its end",
    async () => {
      await write();
      const tar = gunzipSync(readFileSync(file));
      writeFileSync(file, gzipSync(tar.subarray(0, tar.indexOf("checksums.json"))));
    },
    /is cut off or damaged: /,
  ],
  [
    "one that somebody changed",
    async () => {
      await write();
      const tar = gunzipSync(readFileSync(file));
      tar.write("t", tar.indexOf("ssssssss"));
      writeFileSync(file, gzipSync(tar));
    },
    /is cut off or damaged: data\/secret-key is not what was backed up$/,
  ],
  ["one that leads out of its folder", () => write({ "../../out": "x" }), /leads out of its folder/],
])("refuses %s in one line, and leaves the directory empty", async (_what, make, message) => {
  await make();
  const error = await restore().catch((reason: unknown) => reason);
  expect(String((error as Error).message)).toMatch(message);
  expect(String((error as Error).message)).not.toContain("\n");
  expect(found()).toEqual([]);
});

it("refuses a backup that is cut off anywhere", async () => {
  await write({ noise: Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString("base64") });
  const whole = readFileSync(file);
  for (let part = 1; part < 20; part++) {
    writeFileSync(file, whole);
    truncateSync(file, Math.floor((whole.length * part) / 20));
    await expect(restore()).rejects.toThrow(/is cut off or damaged: |is not a backup/);
    expect(found()).toEqual([]);
  }
});

it("refuses a directory that is not empty, and one that a cluster runs on", async () => {
  await write();
  mkdirSync(dataDirectory);
  writeFileSync(join(dataDirectory, "mine"), "mine");
  await expect(restore()).rejects.toThrow(`${dataDirectory} is not empty; move it away`);
  const record = { pid: process.pid, baseUrl: "http://x", natsUrl: "nats://x", redisUrl: "redis://x" };
  writeFileSync(join(dataDirectory, "run.json"), JSON.stringify(record));
  await expect(restore()).rejects.toThrow(`a cluster runs on ${dataDirectory};`);
  expect(found().sort()).toEqual(["mine", "run.json"]);
});

it("puts no objects into a server that is not the cluster's own", async () => {
  await write({ [`${OBJECTS_FOLDER}/voices/a%2Fb`]: "x" });
  await expect(restore("nats://elsewhere:4222")).rejects.toThrow("unset NATS_URL");
  expect(found()).toEqual([]);
});
