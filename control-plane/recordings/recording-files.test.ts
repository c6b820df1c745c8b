import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RECORDING_PART_BYTES, recordingPartName, recordingsBucket } from "#protocol/bus/recording";
import { LocalBus } from "#common/bus/testing/local-bus";
import { type S3StandIn, startS3StandIn } from "#common/objects/testing/s3-server";
import { clientOf } from "#common/objects/testing/suite";
import { type RecordingFiles, recordingFiles } from "./recording-files.js";

const MIB = 1024 * 1024;
const inAMinute = (): Date => new Date(Date.now() + 60_000);

let store: S3StandIn;
let bus: LocalBus;
let inBus: RecordingFiles;
let inS3: RecordingFiles;
beforeAll(async () => {
  store = await startS3StandIn();
});
afterAll(() => store.close());
beforeEach(() => {
  store.objects.clear();
  store.fault = () => null;
  bus = new LocalBus();
  inBus = recordingFiles({ bus, s3: null });
  inS3 = recordingFiles({ bus, s3: clientOf(store.settings) });
});

async function write(files: RecordingFiles, sessionId: string, bytes: Buffer, pageBytes = 100_000): Promise<number> {
  const file = files.openFile(sessionId, "user");
  for (let at = 0; at < bytes.length; at += pageBytes) await file.write([bytes.subarray(at, at + pageBytes)]);
  return await file.finish();
}
const keys = (): string[] => [...store.objects.keys()].sort();

describe("the files of a recording", () => {
  it("are objects of the bus, deleted with all of them and without those of others", async () => {
    for (const sessionId of ["a", "b"]) await write(inBus, sessionId, randomBytes(2 * RECORDING_PART_BYTES + 1));
    expect(await inBus.address("a", "user", inAMinute())).toBeNull();
    await inBus.deleteFiles("a", { agent: 0, user: 2 * RECORDING_PART_BYTES + 1 });
    expect(await bus.objects(recordingsBucket).names()).toEqual(
      [0, 1, 2].map((n) => recordingPartName("b", "user", n)),
    );
  });

  it.each([
    0,
    1,
    700_000,
    5 * MIB,
    5 * MIB + 1,
    12 * MIB,
  ])("are one object each in an S3 store, of %d bytes, which gives them away and deletes them", async (length) => {
    const bytes = randomBytes(length);
    expect(await write(inS3, "s", bytes)).toBe(length);
    expect(await bus.objects(recordingsBucket).names()).toEqual([]);
    expect([keys(), store.uploads.size]).toEqual([length === 0 ? [] : ["recordings/s/s-user.ogg"], 0]);
    const address = await inS3.address("s", "user", inAMinute());
    expect(await inS3.address("s", "agent", inAMinute())).toBeNull();
    if (length > 0) {
      const given = await fetch(address ?? "");
      expect(given.headers.get("content-type")).toBe("audio/ogg");
      expect(given.headers.get("content-disposition")).toBe('attachment; filename="s-user.ogg"');
      expect(Buffer.compare(Buffer.from(await given.arrayBuffer()), bytes)).toBe(0);
    }
    await inS3.deleteFiles("s", { agent: 0, user: length });
    expect(keys()).toEqual([]);
  }, 30_000);

  it("that were written before there was an S3 store are found in the bus, and deleted there", async () => {
    await write(inBus, "old", randomBytes(RECORDING_PART_BYTES + 1));
    expect(await inS3.address("old", "user", inAMinute())).toBeNull();
    await inS3.deleteFiles("old", { agent: 0, user: RECORDING_PART_BYTES + 1 });
    expect(await bus.objects(recordingsBucket).names()).toEqual([]);
  });

  it("leave no parts behind in an S3 store where they are given up", async () => {
    const file = inS3.openFile("s", "user");
    await file.write([randomBytes(6 * MIB)]);
    expect(store.uploads.size).toBe(1);
    store.fault = ({ method }) => (method === "PUT" ? { status: 400, code: "EntityTooLarge" } : null);
    await expect(file.write([randomBytes(6 * MIB)])).rejects.toMatchObject({ code: "dependency_unavailable" });
    await file.discard();
    expect([store.uploads.size, keys()]).toEqual([0, []]);
    // A store that is away keeps them, and nobody hears of it.
    store.fault = ({ method }) => (method === "POST" ? null : { status: 400, code: "No" });
    const other = inS3.openFile("s", "agent");
    await expect(other.write([randomBytes(6 * MIB)])).rejects.toMatchObject({ code: "dependency_unavailable" });
    await other.discard();
    store.uploads.clear();
  });

  it("are not said to be lost while an S3 store does not answer", async () => {
    store.fault = () => ({ status: 403, code: "AccessDenied" });
    await expect(inS3.address("s", "user", inAMinute())).rejects.toMatchObject({ code: "dependency_unavailable" });
    await expect(inS3.deleteFiles("s", { agent: 0, user: 0 })).rejects.toMatchObject({
      code: "dependency_unavailable",
    });
  });
});
