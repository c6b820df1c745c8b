import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordingsBucket } from "#protocol/bus/recording";
import { clientOf, describeS3Store } from "#common/objects/testing/suite";
import { type FinishContext, finishNext } from "#control-plane/recordings/finish-recordings";
import { recordingObjects } from "#control-plane/recordings/recording-objects";
import { deleteExpired } from "#control-plane/recordings/retention";
import type { RecordingTelemetry } from "#control-plane/recordings/telemetry";
import { serve } from "#edge/http/testing/test-server";
import { recordingRoutes } from "#edge/routes/recordings/routes";
import type { TeamClient } from "../agents/client.js";
import { silentLog } from "../control-plane/databases.js";
import { decodeWithFfmpeg, durationSeconds } from "../harness/audio.js";
import { until } from "../harness/processes.js";
import { openTestS3, type TestS3 } from "../harness/s3.js";
import { publishedAgent, type SessionPlatform, startPlatform } from "../sessions/platform.js";
import { recordedSessions } from "../sessions/recorded-sessions.js";

const DAY_MS = 24 * 3_600_000;

let store: TestS3;
let platform: SessionPlatform;
let team: TeamClient;
let agentId: string;
beforeAll(async () => {
  store = await openTestS3();
  platform = await startPlatform("pglite", { s3: clientOf(store.settings) });
  counted.splice(0);
  team = await platform.addTeam();
  agentId = await publishedAgent(team);
}, 300_000);
afterAll(async () => {
  await platform?.stop();
  await store?.close();
});

const { show, recordingWhen, storeSegment, storeEnd, end, talk } = recordedSessions(() => ({
  ...{ platform, team, agentId },
}));
/** A session whose conversation is over and recorded, two seconds long. */
const record = async (): Promise<string> => {
  const sessionId = await talk();
  await storeSegment(sessionId, 1, 0, 0);
  await storeEnd(sessionId, 1);
  await end(sessionId);
  return sessionId;
};
/** Another control plane on the same database and bus, at another time. */
const otherInstance = (laterMs: number, s3: ReturnType<typeof clientOf> | null): FinishContext => ({
  ...{ db: platform.fixture.db, objects: recordingObjects({ bus: platform.fixture.bus, s3 }), log: silentLog },
  now: () => new Date(Date.now() + laterMs),
  telemetry,
});
/** What instances of this test counted. */
const counted: string[] = [];
const telemetry: RecordingTelemetry = {
  finished: (outcome, bytes) => void counted.push(`${outcome} ${bytes > 0}`),
  delayed: () => void counted.push("delayed"),
  deleted: () => void counted.push("deleted"),
};
const keyOf = (sessionId: string, role: string): string => `recordings/${sessionId}/${sessionId}-${role}.ogg`;
const sizeOf = (sessionId: string, role: string): Promise<number | null> =>
  clientOf(store.settings).size(keyOf(sessionId, role));
const namesInBus = async (sessionId: string): Promise<string[]> =>
  (await platform.fixture.bus.objects(recordingsBucket).names()).filter((name) => name.startsWith(sessionId));
/** Asks an edge for a track. */
const download = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const { url } = await serve(recordingRoutes({ bus: platform.fixture.bus }));
  return await fetch(url + path, init);
};

// The stand-in is held against it beside the client.
if (process.env["TEST_S3_SETTINGS"] !== undefined) describeS3Store(() => store.settings);

describe("recordings where there is an S3 store", () => {
  it("are files there, which clients get from the store itself until their address expires", async () => {
    const sessionId = await record();
    const { tracks } = await recordingWhen(sessionId, "complete");
    expect(await namesInBus(sessionId)).toEqual([]);
    for (const { role, url, expires_at } of tracks) {
      const sent = await download(url ?? "", { redirect: "manual" });
      const address = new URL(sent.headers.get("location") ?? "");
      expect([sent.status, address.origin]).toEqual([307, store.settings.endpoint]);
      const signedAt = (address.searchParams.get("X-Amz-Date") ?? "").replace(
        /(....)(..)(..T..)(..)(..Z)/,
        "$1-$2-$3:$4:$5",
      );
      const expiresMs = Date.parse(signedAt) + Number(address.searchParams.get("X-Amz-Expires")) * 1000;
      // Both count whole seconds.
      expect(Math.abs(expiresMs - Date.parse(expires_at ?? ""))).toBeLessThanOrEqual(1000);
      const given = await download(url ?? "");
      const file = new Uint8Array(await given.arrayBuffer());
      expect([given.status, given.headers.get("content-type"), given.headers.get("content-disposition")]).toEqual([
        200,
        "audio/ogg",
        `attachment; filename="${sessionId}-${role}.ogg"`,
      ]);
      expect([file.length, durationSeconds(await decodeWithFfmpeg(file))]).toEqual([await sizeOf(sessionId, role), 2]);
      const part = await download(url ?? "", { headers: { range: "bytes=100-199" } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${file.length}`]);
      expect(Buffer.compare(new Uint8Array(await part.arrayBuffer()), file.subarray(100, 200))).toBe(0);
      const head = await download(url ?? "", { method: "HEAD" });
      expect([head.status, head.headers.get("content-length")]).toEqual([200, String(file.length)]);
    }
  });

  it("are nowhere for another team, and at an address that was changed", async () => {
    const sessionId = await record();
    const url = (await recordingWhen(sessionId, "complete")).tracks[0]?.url ?? "";
    const other = await record();
    await recordingWhen(other, "complete");
    expect(await show(sessionId, await platform.addTeam())).toMatchObject({ status: 404 });
    for (const [from, to] of [
      [sessionId, other],
      ["/agent?", "/user?"],
      [/expires=\d/, "expires=9"],
      [/signature=.{4}/, "signature=AAAA"],
    ] as const) {
      const refused = await download(url.replace(from, to));
      expect([refused.status, await refused.json()]).toEqual([404, { status: 404, message: "Recording not found" }]);
    }
  });

  it("are deleted there when their time is over", async () => {
    const sessionId = await record();
    await recordingWhen(sessionId, "complete");
    await deleteExpired(otherInstance(DAY_MS - 60_000, clientOf(store.settings)), DAY_MS);
    expect(await sizeOf(sessionId, "user")).toBeGreaterThan(0);
    await deleteExpired(otherInstance(DAY_MS + 60_000, clientOf(store.settings)), DAY_MS);
    expect([await sizeOf(sessionId, "user"), await sizeOf(sessionId, "agent")]).toEqual([null, null]);
    expect((await show(sessionId)).status).toBe(404);
  });

  it("are a 503 where the store has lost them", async () => {
    const sessionId = await record();
    const [track] = (await recordingWhen(sessionId, "complete")).tracks;
    await clientOf(store.settings).delete(keyOf(sessionId, track?.role ?? ""));
    const lost = await download(track?.url ?? "");
    expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  it("that are older than the store are still downloaded, and deleted", async () => {
    const sessionId = await talk();
    await storeSegment(sessionId, 1, 0, 0);
    await end(sessionId);
    // The service waits for the runtime's word; an instance of before joins what is there.
    const before = otherInstance(31_000, null);
    counted.splice(0);
    while ((await show(sessionId)).recording.status === "processing") await finishNext(before);
    expect(counted).toEqual(["completed true"]);
    expect([await sizeOf(sessionId, "agent"), (await namesInBus(sessionId)).length]).toEqual([null, 2]);
    const [track] = (await recordingWhen(sessionId, "complete")).tracks;
    const given = await download(track?.url ?? "", { redirect: "error" });
    expect([given.status, durationSeconds(await decodeWithFfmpeg(new Uint8Array(await given.arrayBuffer())))]).toEqual([
      200, 2,
    ]);
    await deleteExpired(otherInstance(DAY_MS + 60_000, clientOf(store.settings)), DAY_MS);
    expect(await namesInBus(sessionId)).toEqual([]);
    expect(counted).toContain("deleted");
  });
});

describe("an S3 store that is away", () => {
  it("makes recordings wait, and fail after a day, with their code", async (context) => {
    const { standIn } = store;
    if (standIn === null) return context.skip();
    await standIn.close();
    const [waiting, given] = [await record(), await record()];
    const s3 = clientOf(store.settings);
    // Each claims one of the two that are due.
    const tries = async (laterMs: number): Promise<void> => {
      for (let count = 0; count < 4; count++)
        await finishNext(otherInstance(laterMs, s3)).catch((error: unknown) =>
          expect(error).toMatchObject({ code: "dependency_unavailable" }),
        );
    };
    counted.splice(0);
    await tries(10_000);
    expect((await show(waiting)).recording.status).toBe("processing");
    expect(counted).toContain("delayed");
    expect(counted).not.toContain("failed false");
    await until(
      async () => {
        await tries(DAY_MS + 3_600_000);
        return (await show(given)).recording.status === "failed" && (await show(waiting)).recording.status === "failed";
      },
      { withinMs: 20_000, what: "the recordings to be given up" },
    );
    // Each once, whoever gave it up.
    expect(counted.filter((what) => what === "failed false").length).toBeLessThanOrEqual(2);
    expect(counted).toContain("failed false");
    expect((await show(given)).recording).toMatchObject({
      ...{ status: "failed", error_code: "storage_failed" },
      tracks: [
        { status: "failed", error_code: "storage_failed", url: null },
        { status: "failed", error_code: "storage_failed", url: null },
      ],
    });
    await standIn.open();
  });

  it("is used again as soon as it is back", async (context) => {
    const { standIn } = store;
    if (standIn === null) return context.skip();
    await standIn.close();
    const sessionId = await record();
    await expect(download("/v1/recordings/x/agent?expires=1&signature=x").then(({ status }) => status)).resolves.toBe(
      404,
    );
    await standIn.open();
    const [track] = (await recordingWhen(sessionId, "complete")).tracks;
    expect((await download(track?.url ?? "")).status).toBe(200);
    await standIn.close();
    expect((await download(track?.url ?? "")).status).toBe(503);
    await standIn.open();
  });
});

describe("voices where there is an S3 store", () => {
  const wav = Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(100, 7)]);
  const voice = { type: "tts", train_mode: "fast", title: "A voice", voices: [wav.toString("base64")] };
  const create = () =>
    platform.fixture.callJson(team.principal, "POST", "/model", {
      ...{ contentType: "application/json", body: JSON.stringify(voice) },
    });

  it("have their samples there until they are deleted", async () => {
    const { status, json } = await create();
    expect(status).toBe(201);
    const id = (json as { _id: string })._id;
    const s3 = clientOf(store.settings);
    expect(Buffer.compare((await s3.get(`voices/${id}/sample-0`)) ?? Buffer.alloc(0), wav)).toBe(0);
    const sample = await platform.fixture.call(team.principal, "GET", `/model/${id}/samples/0`);
    expect([sample.status, Buffer.compare(sample.body, wav)]).toEqual([200, 0]);
    // One from before there was a store.
    await s3.delete(`voices/${id}/sample-0`);
    const inBus = platform.fixture.bus.objects({ name: "voices", maxAgeMs: 0 });
    await inBus.put(`${id}/sample-0`, Buffer.from("older"));
    const older = await platform.fixture.call(team.principal, "GET", `/model/${id}/samples/0`);
    expect(Buffer.from(older.body).toString()).toBe("older");
    await s3.put(`voices/${id}/sample-0`, wav, "audio/wav");
    expect((await platform.fixture.call(team.principal, "DELETE", `/model/${id}`)).status).toBe(200);
    expect([await s3.get(`voices/${id}/sample-0`), await inBus.get(`${id}/sample-0`)]).toEqual([null, null]);
  });

  it("are not made while it is away", async (context) => {
    const { standIn } = store;
    if (standIn === null) return context.skip();
    await standIn.close();
    const { status, json } = await create();
    await standIn.open();
    expect([status, json]).toMatchObject([503, { message: "Object storage is briefly unavailable" }]);
  });
});
