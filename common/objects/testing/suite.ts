import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { type Clock, systemClock } from "../../clock.js";
import { checkS3 } from "../check-s3.js";
import { S3Client } from "../s3-client.js";
import { S3Failure } from "../s3-failure.js";
import type { S3Settings } from "../s3-settings.js";

const MIB = 1024 * 1024;

/** Does not wait before a request is repeated; its patience with an answer is that of every client. */
const hasty: Clock = {
  nowMs: () => systemClock.nowMs(),
  after: (delayMs, callback) => systemClock.after(delayMs < 10_000 ? 0 : delayMs, callback),
};

/** A client of a store, whose clock for signatures may be wrong. */
export const clientOf = (settings: S3Settings, now: () => Date = () => new Date()): S3Client =>
  new S3Client({ settings, clock: hasty, now });

/** What was wrong where a call was refused. */
export async function failureOf(call: Promise<unknown>): Promise<S3Failure> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code: "dependency_unavailable" });
  const { cause } = error as ServiceError;
  expect(cause).toBeInstanceOf(S3Failure);
  return cause as S3Failure;
}

/** What the client needs of a server that speaks S3; run on the stand-in, and on a real server. */
export function describeS3Store(settingsOf: () => S3Settings): void {
  const prefix = randomBytes(6).toString("hex");

  describe("an S3 store", () => {
    it.each([
      ["empty", 0, `${prefix}/empty`],
      ["short", 1, `${prefix}/0`],
      ["longer", 300_000, `${prefix}/voices/ab12/sample-0`],
      ["with an odd name", 10, `${prefix}/a b+c%41/ü~*'()!;,=&$@/x.y`],
    ])("gives back what was written, %s, until it is deleted", async (_, length, key) => {
      const [client, bytes] = [clientOf(settingsOf()), randomBytes(length)];
      expect([await client.get(key), await client.size(key)]).toEqual([null, null]);
      await client.put(key, bytes, "application/octet-stream");
      expect(Buffer.compare((await client.get(key)) ?? Buffer.from("none"), bytes)).toBe(0);
      expect(await client.size(key)).toBe(length);
      await client.put(key, Buffer.from("other"), "text/plain");
      expect(Buffer.from((await client.get(key)) ?? []).toString()).toBe("other");
      await client.delete(key);
      expect([await client.get(key), await client.size(key)]).toEqual([null, null]);
      await client.delete(key);
    });

    it("makes one object of parts, and none of parts that are given up or wrong", async () => {
      const client = clientOf(settingsOf());
      const key = `${prefix}/parts`;
      const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB), randomBytes(17)];
      const upload = async (): Promise<[id: string, tags: string[]]> => {
        const id = await client.beginUpload(key, "audio/ogg");
        const tags: string[] = [];
        for (const [index, part] of parts.entries()) tags.push(await client.putPart(key, id, index + 1, part));
        return [id, tags];
      };
      const [givenUp] = await upload();
      await client.abortUpload(key, givenUp);
      await client.abortUpload(key, givenUp);
      const [id, tags] = await upload();
      await failureOf(client.completeUpload(key, id, [`"${"0".repeat(32)}"`, ...tags.slice(1)]));
      expect(await client.size(key)).toBeNull();
      const [complete, completeTags] = await upload();
      await client.completeUpload(key, complete, completeTags);
      expect(Buffer.compare((await client.get(key)) ?? Buffer.alloc(0), Buffer.concat(parts))).toBe(0);
      await client.delete(key);
    });

    it("gives an object to whoever has its address, as a file, in ranges, until it expires", async () => {
      const [client, bytes, key] = [clientOf(settingsOf()), randomBytes(1000), `${prefix}/track.ogg`];
      await client.put(key, bytes, "application/octet-stream");
      const wanted = { fileName: "a b+c.ogg", contentType: "audio/ogg", expiresAt: new Date(Date.now() + 60_000) };
      const address = await client.downloadAddress(key, wanted);
      const whole = await fetch(address);
      expect([whole.status, whole.headers.get("content-type"), whole.headers.get("content-disposition")]).toEqual([
        200,
        "audio/ogg",
        'attachment; filename="a b+c.ogg"',
      ]);
      expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0);
      const range = await fetch(address, { headers: { range: "bytes=10-19" } });
      expect([range.status, range.headers.get("content-range")]).toEqual([206, "bytes 10-19/1000"]);
      expect(Buffer.compare(Buffer.from(await range.arrayBuffer()), bytes.subarray(10, 20))).toBe(0);
      for (const [from, to] of [
        ["track.ogg", "other.ogg"],
        [/Expires=\d+/, "Expires=604800"],
        [/response-content-type=[^&]+/, "response-content-type=text%2Fhtml"],
        [/Signature=..../, "Signature=0000"],
        [/Date=\d{4}/, "Date=2099"],
      ] as const) {
        expect(address).toMatch(from);
        expect([to, Math.floor((await fetch(address.replace(from, to))).status / 100)]).toEqual([to, 4]);
      }
      const expired = await clientOf(settingsOf(), () => new Date(Date.now() - 120_000)).downloadAddress(key, {
        ...wanted,
        expiresAt: new Date(Date.now() - 60_000),
      });
      expect((await fetch(expired)).status).toBe(403);
      await client.delete(key);
    });

    it.each<[string, Partial<S3Settings>, RegExp, RegExp]>([
      ["a wrong secret", { secretAccessKey: "wrong" }, /^SignatureDoesNotMatch$/, /S3_SECRET_ACCESS_KEY/],
      ["an unknown key", { accessKeyId: "NOBODY" }, /^(InvalidAccessKeyId|XAdminUserNotFound)$/, /S3_ACCESS_KEY_ID/],
      ["a bucket that is not there", { bucket: "no-such-bucket" }, /^NoSuchBucket$/, /S3_BUCKET/],
    ])("says no to %s, and the operator learns what to set right", async (_, change, code, remedy) => {
      const client = clientOf({ ...settingsOf(), ...change });
      expect(await failureOf(client.put(`${prefix}/x`, Buffer.from("x"), "text/plain"))).toMatchObject({
        code: expect.stringMatching(code),
      });
      expect((await failureOf(client.get(`${prefix}/x`))).code).toMatch(code);
      expect(await checkS3(client, prefix)).toMatchObject({ remedy: expect.stringMatching(remedy) });
    });

    it("passes the check, which leaves nothing", async () => {
      const client = clientOf(settingsOf());
      expect(await checkS3(client, prefix)).toBeNull();
      expect(await client.size(`parley-check/${prefix}`)).toBeNull();
    });
  });
}
