import { afterAll, beforeAll, expect, it } from "vitest";
import type { S3Settings } from "#common/objects/s3-settings";
import { type S3StandIn, startS3StandIn } from "#common/objects/testing/s3-server";
import { examineObjectStore } from "./object-store.js";

let store: S3StandIn;
beforeAll(async () => {
  store = await startS3StandIn();
});
afterAll(() => store.close());

const examine = async (change: Partial<S3Settings>): Promise<string[]> =>
  (await examineObjectStore({ ...store.settings, ...change })).map(
    ({ subject, state, detail, remedy }) => `${subject}: ${state}: ${detail} → ${remedy}`,
  );

it("parley doctor says nothing of an S3 store where none is configured", async () => {
  expect(await examineObjectStore(null)).toEqual([]);
});

it("parley doctor tries an S3 store, and what clients are sent to", async () => {
  const { host } = new URL(store.settings.endpoint);
  expect(await examine({})).toEqual([
    `S3 store: ok: bucket parley-test at ${host} can be written, read and deleted in → null`,
    `S3 store for downloads: ok: ${host} → null`,
  ]);
  expect([...store.objects.keys()]).toEqual([]);
  const [, elsewhere] = await examine({ publicEndpoint: "http://127.0.0.1:1" });
  expect(elsewhere).toMatch(/^S3 store for downloads: missing: 127\.0\.0\.1:1 does not answer .*S3_PUBLIC_ENDPOINT/);
});

it.each<[Partial<S3Settings>, RegExp]>([
  [{ secretAccessKey: "wrong" }, /missing: .*403 SignatureDoesNotMatch at .*S3_SECRET_ACCESS_KEY is not the secret/],
  [{ accessKeyId: "NOBODY" }, /missing: .*403 InvalidAccessKeyId at .*does not know S3_ACCESS_KEY_ID/],
  [{ bucket: "nothing" }, /missing: .*404 NoSuchBucket at .*no bucket of the name S3_BUCKET/],
  [{ endpoint: "http://127.0.0.1:1" }, /missing: .*does not answer .*at 127\.0\.0\.1:1 .*that the store runs/],
])("parley doctor says what is wrong with %j, and not the secret", async (change, expected) => {
  const found = await examine(change);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
  expect(found[0]).not.toContain(change.secretAccessKey ?? store.settings.secretAccessKey);
});
