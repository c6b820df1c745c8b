import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfig } from "#common/config/config";
import { createLogger } from "#common/log";
import { type S3StandIn, startS3StandIn } from "#common/objects/testing/s3-server";
import { configuredStore } from "./configured-store.js";

let store: S3StandIn;
beforeAll(async () => {
  store = await startS3StandIn();
});
afterAll(() => store.close());

const log = createLogger("test", "fatal");
const open = (change: Record<string, string> = {}) => {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = store.settings;
  return configuredStore(
    loadConfig({
      ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region },
      ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, ...change },
    }),
    log,
  );
};

it("no S3 store is opened where no bucket is set", async () => {
  expect(await configuredStore(loadConfig({}), log)).toBeNull();
});

it("an S3 store is tried when it is opened", async () => {
  const client = await open();
  await client?.put("a", Buffer.from("a"), "text/plain");
  expect([...store.objects.keys()]).toEqual(["a"]);
});

it.each([
  ["S3_SECRET_ACCESS_KEY", "wrong", /403 SignatureDoesNotMatch at 127.*S3_SECRET_ACCESS_KEY is not the secret/],
  ["S3_BUCKET", "nothing", /404 NoSuchBucket at 127.*no bucket of the name S3_BUCKET/],
])("a control plane does not start with a wrong %s, and says so", async (name, value, message) => {
  await expect(open({ [name]: value })).rejects.toThrow(message);
});

it("a control plane starts while its S3 store does not answer", async () => {
  await store.close();
  const client = await open();
  await store.open();
  await client?.put("b", Buffer.from("b"), "text/plain");
  expect(store.objects.has("b")).toBe(true);
});
