import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../clock.js";
import { checkS3 } from "./check-s3.js";
import { S3Client } from "./s3-client.js";
import { objectUrl, type S3Settings } from "./s3-settings.js";
import { type Fault, type S3StandIn, startS3StandIn } from "./testing/s3-server.js";
import { clientOf, describeS3Store, failureOf } from "./testing/suite.js";

let store: S3StandIn;
beforeAll(async () => {
  store = await startS3StandIn();
});
afterAll(() => store.close());
afterEach(() => {
  store.fault = () => null;
  store.requests.length = 0;
});

describeS3Store(() => store.settings);

/** A client that does not wait before it asks again; `isLate` ends its patience with an answer at once. */
function impatient(isLate = false): { client: S3Client; waits: number[]; clock: Clock } {
  const waits: number[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    after(delayMs, callback) {
      if (delayMs < 10_000) waits.push(delayMs);
      const timer = delayMs < 10_000 || isLate ? setTimeout(callback, isLate ? 100 : 0) : undefined;
      return () => clearTimeout(timer);
    },
  };
  return { client: new S3Client({ settings: store.settings, clock, now: () => new Date() }), waits, clock };
}

/** Fails the first requests so. */
const failing = (faults: (Fault | null)[]): void => {
  store.fault = () => faults.shift() ?? null;
};

describe("a client of an S3 store in trouble", () => {
  const bytes = Buffer.from("bytes");
  const busy = { status: 503, code: "SlowDown" };

  it.each<[string, Fault]>([
    ["is busy", busy],
    ["breaks off", "reset"],
    ["asks for patience", { status: 429, code: "TooManyRequests" }],
  ])("asks again where it %s, a little later each time", async (_, fault) => {
    const { client, waits } = impatient();
    failing([fault, fault]);
    await client.put("a", bytes, "text/plain");
    expect([store.requests, waits]).toEqual([
      ["PUT a", "PUT a", "PUT a"],
      [200, 1000],
    ]);
    failing([fault, fault]);
    expect(Buffer.from((await client.get("a")) ?? []).toString()).toBe("bytes");
  });

  it("says of each request whether it was answered, and takes a missing object for an answer", async () => {
    const answers: string[] = [];
    const onAnswer = (method: string, outcome: string) => void answers.push(`${method} ${outcome}`);
    const open = (settings: S3Settings) =>
      new S3Client({ settings, clock: impatient().clock, now: () => new Date(), onAnswer });
    const client = open(store.settings);
    failing([busy]);
    await client.put("c", bytes, "text/plain");
    await client.get("not there");
    await client.size("not there");
    await failureOf(open({ ...store.settings, bucket: "x" }).get("c"));
    expect(answers).toEqual(["PUT failed", "PUT ok", "GET ok", "HEAD ok", "GET failed"]);
  });

  it("gives up after three times", async () => {
    failing([busy, busy, busy, null]);
    expect(await failureOf(impatient().client.get("a"))).toMatchObject({ status: 503, code: "SlowDown" });
    expect(store.requests).toHaveLength(3);
  });

  it("takes a refusal for an answer", async () => {
    failing([{ status: 403, code: "AccessDenied" }]);
    const failure = await failureOf(impatient().client.put("a", bytes, "text/plain"));
    expect([failure.message, store.requests.length]).toEqual(["the S3 store answered 403 AccessDenied", 1]);
  });

  it("does not wait for ever", async () => {
    failing(["hang", "hang", "hang"]);
    expect((await failureOf(impatient(true).client.get("a"))).message).toBe(
      "the S3 store does not answer (no answer within 10 s)",
    );
  });

  it("says that nobody answers, and has no remedy for it", async () => {
    await store.close();
    const problem = await checkS3(impatient().client, "x");
    await store.open();
    expect(problem).toEqual({
      detail: expect.stringMatching(/^the S3 store does not answer \(.*ECONNREFUSED/),
      remedy: null,
    });
  });

  it("does not believe the status of an upload that was completed", async () => {
    const { client } = impatient();
    const id = await client.beginUpload("b", "audio/ogg");
    const tag = await client.putPart("b", id, 1, bytes);
    failing([{ status: 200, code: "InternalError" }]);
    expect((await failureOf(client.completeUpload("b", id, [tag]))).code).toBe("InternalError");
  });

  it("follows no redirect with its key, and says that the region is wrong", async () => {
    failing([{ status: 301, code: "PermanentRedirect" }]);
    expect(await checkS3(impatient().client, "x")).toMatchObject({ remedy: expect.stringContaining("S3_REGION") });
  });

  it("is told by a store in another region, and where the clock is wrong", async () => {
    expect(await checkS3(clientOf({ ...store.settings, region: "other-1" }), "x")).toMatchObject({
      remedy: expect.stringContaining("S3_REGION"),
    });
    const later = clientOf(store.settings, () => new Date(Date.now() + 3_600_000));
    expect(await checkS3(later, "x")).toMatchObject({ remedy: expect.stringContaining("clock") });
  });
});

it.each<[Partial<S3Settings>, string]>([
  [{}, "https://s3.example/bucket/a/b.ogg"],
  [{ pathStyle: false }, "https://bucket.s3.example/a/b.ogg"],
  [{ endpoint: "https://s3.example:9000/" }, "https://s3.example:9000/bucket/a/b.ogg"],
  [{ endpoint: "https://s3.example/storage/v1/s3/" }, "https://s3.example/storage/v1/s3/bucket/a/b.ogg"],
])("an object's address with %j is %s", (change, address) => {
  const settings = { ...store.settings, endpoint: "https://s3.example", bucket: "bucket", ...change };
  expect(objectUrl(settings, settings.endpoint, "a/b.ogg").href).toBe(address);
});
