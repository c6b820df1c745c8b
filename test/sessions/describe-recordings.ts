import { beforeAll, describe, expect, it } from "vitest";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  type OpenRecordingReply,
  recordingPartName,
  type RecordingRole,
  recordingsBucket,
  recordingSegmentsBucket,
} from "#protocol/bus/recording";
import { type FinishContext, finishNext } from "#control-plane/recordings/finish-recordings";
import { recordingObjects } from "#control-plane/recordings/recording-objects";
import { deleteExpired } from "#control-plane/recordings/retention";
import { noRecordingTelemetry } from "#control-plane/recordings/telemetry";
import type { TeamClient } from "../agents/client.js";
import { silentLog } from "../control-plane/databases.js";
import { decodeWithFfmpeg, durationSeconds } from "../harness/audio.js";
import { until } from "../harness/processes.js";
import { createSession, hasStatus, publishedAgent, type SessionPlatform, sessionWhen } from "./platform.js";
import { recordedSessions } from "./recorded-sessions.js";

/** Tests of recordings, on a platform that other tests of the file use too: one takes long to start. */
export function describeRecordings(platformOf: () => SessionPlatform): void {
  describe("the recording of a session", () => recordingTests(platformOf));
}

function recordingTests(platformOf: () => SessionPlatform): void {
  let platform: SessionPlatform;
  let team: TeamClient;
  let agentId: string;

  beforeAll(async () => {
    platform = platformOf();
    team = await platform.addTeam();
    agentId = await publishedAgent(team);
  });
  const { show, statusesOf, recordingWhen, storeSegment, storeEnd, end, talk } = recordedSessions(() => ({
    ...{ platform, team, agentId },
  }));
  const open = async (url: string): Promise<Reply<OpenRecordingReply>> => {
    const { pathname, searchParams } = new URL(url, "http://edge.example");
    const [, sessionId, role] = /recordings\/(\w+)\/(\w+)$/.exec(pathname) ?? [];
    const [expires, signature] = ["expires", "signature"].map((name) => searchParams.get(name) ?? "");
    return await platform.fixture.bus.request(
      controlSubjects.openRecording,
      { sessionId, role, expires, signature },
      { timeoutMs: 10_000, dependency: "The control plane" },
    );
  };
  const fileOf = async (sessionId: string, role: RecordingRole): Promise<Uint8Array> =>
    (await platform.fixture.bus.objects(recordingsBucket).get(recordingPartName(sessionId, role, 0))) ??
    new Uint8Array(0);
  /** Another control plane on the same database and store, at another time. */
  const otherInstance = (laterMs: number): FinishContext => ({
    ...{ db: platform.fixture.db, objects: recordingObjects({ bus: platform.fixture.bus, s3: null }), log: silentLog },
    now: () => new Date(Date.now() + laterMs),
    telemetry: noRecordingTelemetry,
  });

  it("is requested, active, processed, and complete with a file of each speaker", async () => {
    const sessionId = await createSession(team, agentId);
    expect(await statusesOf(sessionId)).toEqual(["processing", "requested", "requested"]);
    platform.runtime.write(sessionId, { type: "caller-joined" });
    await sessionWhen(team, sessionId, hasStatus("active"), "the beginning");
    expect(await statusesOf(sessionId)).toEqual(["processing", "active", "active"]);
    await storeSegment(sessionId, 1, 0, 0);
    await end(sessionId);
    // The runtime has more to store, and says when it has.
    await storeSegment(sessionId, 1, 1, 100);
    expect(await statusesOf(sessionId)).toEqual(["processing", "active", "active"]);
    await storeEnd(sessionId, 1);
    const { tracks } = await recordingWhen(sessionId, "complete");
    for (const { role, url, duration_ms } of tracks) {
      const opened = await open(url ?? "");
      const file = await fileOf(sessionId, role as RecordingRole);
      expect(opened).toEqual({ ok: true, value: { role, bytes: file.byteLength, address: null } });
      expect([duration_ms, durationSeconds(await decodeWithFfmpeg(file))]).toEqual([4000, 4]);
    }
    // What it was made of is gone.
    const segments = platform.fixture.bus.objects(recordingSegmentsBucket);
    await until(async () => (await segments.names()).every((name) => !name.startsWith(sessionId)), {
      withinMs: 10_000,
      what: "the segments to be deleted",
    });
  });

  it("has addresses that lead nowhere once anything in them is changed", async () => {
    const sessionId = await talk();
    await storeSegment(sessionId, 1, 0, 0);
    await storeEnd(sessionId, 1);
    await end(sessionId);
    const url = (await recordingWhen(sessionId, "complete")).tracks[0]?.url ?? "";
    const other = await talk();
    expect(await open(url)).toMatchObject({ ok: true });
    for (const [from, to] of [
      [sessionId, other],
      ["/agent?", "/user?"],
      [/expires=\d/, "expires=9"],
      [/signature=.{4}/, "signature=AAAA"],
      ["signature=", "nothing="],
    ] as const)
      expect(await open(url.replace(from, to))).toMatchObject({ ok: false, error: { code: "recording_not_found" } });
    await end(other);
  });

  it("is none where it was not wanted, where nobody joined, and for another team", async () => {
    const silent = await createSession(team, agentId, { record_audio: false });
    expect(await show(silent)).toMatchObject({ status: 404, recording: { message: "Recording not found" } });
    platform.runtime.write(silent, { type: "caller-joined" });
    await sessionWhen(team, silent, hasStatus("active"), "the beginning");
    await end(silent);
    expect(await show(silent)).toMatchObject({ status: 404, recording: { message: "Recording not found" } });
    const unjoined = await createSession(team, agentId);
    platform.runtime.write(unjoined, { type: "ended", reason: "never_joined", detail: null });
    await sessionWhen(team, unjoined, hasStatus("failed"), "the end");
    expect(await show(unjoined)).toMatchObject({ status: 404, recording: { message: "Recording not found" } });
    const recorded = await talk();
    expect(await show(recorded, await platform.addTeam())).toMatchObject({ status: 404 });
    expect((await show("0".repeat(32))).status).toBe(404);
    await end(recorded);
  });

  it("is as configured, unless the session says otherwise", async () => {
    const quiet = await publishedAgent(team, { conversation: { record_audio: false } });
    expect(await statusesOf(await createSession(team, quiet))).toEqual(["404"]);
    const wanted = await createSession(team, quiet, { record_audio: true });
    expect(await statusesOf(wanted)).toEqual(["processing", "requested", "requested"]);
  });

  it("is finished without the runtime that was killed, with what it had stored", async () => {
    const sessionId = await talk();
    await storeSegment(sessionId, 1, 0, 0);
    await end(sessionId);
    const waiting = otherInstance(29_000);
    while (await finishNext(waiting)) if ((await statusesOf(sessionId))[0] === "complete") break;
    expect((await statusesOf(sessionId))[0]).toBe("processing");
    while ((await statusesOf(sessionId))[0] === "processing") await finishNext(otherInstance(31_000));
    const recording = await recordingWhen(sessionId, "complete");
    expect(recording.tracks.map(({ duration_ms }) => duration_ms)).toEqual([2000, 2000]);
  });

  it("is finished by another instance where one dies over it, or is stopped, and once", async () => {
    const sessionId = await talk();
    await storeSegment(sessionId, 1, 0, 0);
    await end(sessionId);
    // Stopped: it is left to whoever comes next.
    for (let look = 0; look < 3; look++) await finishNext(otherInstance(31_000), () => true);
    expect((await statusesOf(sessionId))[0]).toBe("processing");
    // Killed, as far as anybody can tell, with the first segment in its hands.
    const killed = otherInstance(31_000);
    let goOn = (): void => undefined;
    let isReading = false;
    const { segment } = killed.objects;
    killed.objects.segment = async (...place) => {
      isReading = true;
      await new Promise<void>((resolve) => (goOn = resolve));
      return await segment(...place);
    };
    const dead = finishNext(killed);
    await until(() => isReading, { withinMs: 10_000, what: "the first segment to be read" });
    while ((await statusesOf(sessionId))[0] === "processing") await finishNext(otherInstance(95_000));
    const [{ tracks }, file] = [await recordingWhen(sessionId, "complete"), await fileOf(sessionId, "user")];
    killed.objects.segment = segment;
    goOn();
    await dead;
    const after = await recordingWhen(sessionId, "complete");
    expect(after.tracks.map(({ duration_ms }) => duration_ms)).toEqual(tracks.map(({ duration_ms }) => duration_ms));
    expect(Buffer.compare(await fileOf(sessionId, "user"), file)).toBe(0);
  });

  it("failed where nothing was stored", async () => {
    const sessionId = await talk();
    await storeEnd(sessionId, 1);
    await end(sessionId);
    expect(await recordingWhen(sessionId, "failed")).toMatchObject({
      error_code: "no_audio",
      tracks: [{ status: "failed", error_code: "no_audio" }, { status: "failed" }],
    });
  });

  it("is deleted with its objects when its time is over", async () => {
    const sessionId = await talk();
    await storeSegment(sessionId, 1, 0, 0);
    await storeEnd(sessionId, 1);
    await end(sessionId);
    await recordingWhen(sessionId, "complete");
    const dayMs = 24 * 3_600_000;
    await deleteExpired(otherInstance(dayMs - 60_000), dayMs);
    expect((await statusesOf(sessionId))[0]).toBe("complete");
    await deleteExpired(otherInstance(dayMs + 60_000), dayMs);
    expect(await show(sessionId)).toMatchObject({ status: 404, recording: { message: "Recording not found" } });
    const names = await platform.fixture.bus.objects(recordingsBucket).names();
    expect(names.filter((name) => name.startsWith(sessionId))).toEqual([]);
  });
}
