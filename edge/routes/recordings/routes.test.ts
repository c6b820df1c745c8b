import { beforeEach, describe, expect, it } from "vitest";
import { controlSubjects } from "#protocol/bus/control";
import {
  type OpenRecordingRequest,
  RECORDING_PART_BYTES,
  recordingPartName,
  recordingsBucket,
} from "#protocol/bus/recording";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { LocalBus } from "#common/bus/testing/local-bus";
import { serve } from "../../http/testing/test-server.js";
import { recordingRoutes } from "./routes.js";

const PATH = "/v1/recordings/s1/user";
const small = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
const large = Buffer.from(Array.from({ length: 5 * RECORDING_PART_BYTES + 77 }, (_, index) => (index * 7) % 253));

let bus: LocalBus;
let url: string;
let asked: OpenRecordingRequest[];

async function store(bytes: Buffer): Promise<void> {
  const bucket = bus.objects(recordingsBucket);
  for (let part = 0; part * RECORDING_PART_BYTES < bytes.length; part++)
    await bucket.put(
      recordingPartName("s1", "user", part),
      bytes.subarray(part * RECORDING_PART_BYTES, (part + 1) * RECORDING_PART_BYTES),
    );
  bus.respond<OpenRecordingRequest, object>(controlSubjects.openRecording, async (question) => {
    asked.push(question);
    return { ok: true, value: { role: "user", bytes: bytes.length } };
  });
}

beforeEach(async () => {
  bus = new LocalBus();
  asked = [];
  ({ url } = await serve(recordingRoutes({ bus })));
});

const get = async (headers: Record<string, string> = {}, method = "GET") => {
  const response = await fetch(`${url}${PATH}?expires=17&signature=abc`, { method, headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};
const headersOf = (response: Response, ...names: string[]): (string | null)[] =>
  names.map((name) => response.headers.get(name));

describe("a download of a recording", () => {
  it("is a file with a name, for every page, at an address that the control plane has judged", async () => {
    await store(small);
    const { response, bytes } = await get({ origin: "https://console.example" });
    expect([response.status, Buffer.compare(bytes, small)]).toEqual([200, 0]);
    expect(
      headersOf(response, "content-type", "content-disposition", "accept-ranges", "access-control-allow-origin"),
    ).toEqual(["audio/ogg", 'attachment; filename="s1-user.ogg"', "bytes", "*"]);
    expect(headersOf(response, "content-length", "etag")).toEqual(["1000", '"s1-user"']);
    expect(asked).toEqual([{ sessionId: "s1", role: "user", expires: "17", signature: "abc" }]);
  });

  it("gives the range that is asked for, wherever it lies in the objects", async () => {
    await store(large);
    const edges = [
      0,
      1,
      RECORDING_PART_BYTES - 1,
      RECORDING_PART_BYTES,
      3 * RECORDING_PART_BYTES + 5,
      large.length - 1,
    ];
    for (const from of edges)
      for (const to of edges.filter((end) => end >= from)) {
        const { response, bytes } = await get({ range: `bytes=${from}-${to}` });
        expect([response.status, response.headers.get("content-range")]).toEqual([
          206,
          `bytes ${from}-${to}/${large.length}`,
        ]);
        expect(Buffer.compare(bytes, large.subarray(from, to + 1))).toBe(0);
      }
    const { response, bytes } = await get();
    expect([response.status, Buffer.compare(bytes, large)]).toEqual([200, 0]);
  });

  it("gives the range only where the file is the one that the client began with", async () => {
    await store(small);
    const same = await get({ range: "bytes=0-9", "if-range": '"s1-user"' });
    const other = await get({ range: "bytes=0-9", "if-range": '"another"' });
    expect([same.response.status, other.response.status, other.bytes.length]).toEqual([206, 200, 1000]);
  });

  it("says how long it is to who asks for no more, or for too much", async () => {
    await store(small);
    const { response } = await get({}, "HEAD");
    expect([response.status, ...headersOf(response, "content-length", "accept-ranges")]).toEqual([
      200,
      "1000",
      "bytes",
    ]);
    const beyond = await get({ range: "bytes=1000-" });
    expect([beyond.response.status, beyond.response.headers.get("content-range")]).toEqual([416, "bytes */1000"]);
  });

  it("sends clients to the store that has it, for this once, and answers itself what the file is like", async () => {
    const address = "https://s3.example/recordings/s1/s1-user.ogg?X-Amz-Signature=1";
    bus.respond(controlSubjects.openRecording, async () => ({
      ok: true,
      value: { role: "user", bytes: 1000, address },
    }));
    const sent = await fetch(`${url}${PATH}?expires=17&signature=abc`, {
      redirect: "manual",
      headers: { origin: "https://console.example", range: "bytes=0-9" },
    });
    expect([
      sent.status,
      ...headersOf(sent, "location", "cache-control", "access-control-allow-origin"),
      await sent.text(),
    ]).toEqual([307, address, "no-store", "*", ""]);
    const { response } = await get({}, "HEAD");
    expect([response.status, ...headersOf(response, "content-length", "content-type")]).toEqual([
      200,
      "1000",
      "audio/ogg",
    ]);
  });

  it("is refused as the control plane says", async () => {
    bus.respond(controlSubjects.openRecording, async () => ({
      ok: false,
      error: toErrorRecord(new ServiceError("recording_not_found")),
    }));
    const { response, bytes } = await get({ origin: "https://console.example" });
    expect([
      response.status,
      JSON.parse(bytes.toString()),
      response.headers.get("access-control-allow-origin"),
    ]).toEqual([404, { status: 404, message: "Recording not found" }, "*"]);
  });

  it("is a 503 where the object store has lost it, and breaks off where it has lost the rest", async () => {
    await store(large);
    await bus.objects(recordingsBucket).delete(recordingPartName("s1", "user", 4));
    await expect(get()).rejects.toThrow();
    await bus.objects(recordingsBucket).delete(recordingPartName("s1", "user", 0));
    expect((await get()).response.status).toBe(503);
  });
});
