import type { RecordingEntity } from "#protocol/agents/recording";
import {
  encodeSegment,
  recordingEndName,
  recordingSegmentName,
  recordingSegmentsBucket,
} from "#protocol/bus/recording";
import { createOpusPackets } from "#audio/encoding/opus-packets";
import { tone } from "#audio/testing/signals";
import { speechLike } from "#audio/testing/speech-like";
import type { TeamClient } from "../agents/client.js";
import { until } from "../harness/processes.js";
import { createSession, hasStatus, type SessionPlatform, sessionWhen } from "./platform.js";

const RATE = 16_000;

/** What a test does with sessions whose conversation is recorded, in the runtime's stead. */
export function recordedSessions(where: () => { platform: SessionPlatform; team: TeamClient; agentId: string }) {
  const show = async (sessionId: string, asker = where().team) => {
    const { status, json, text } = await asker.ask("GET", `/v1/agent/sessions/${sessionId}/recording`);
    return { status, recording: json as unknown as RecordingEntity, text };
  };
  const statusesOf = async (sessionId: string): Promise<string[]> => {
    const { status, recording } = await show(sessionId);
    return status === 200 ? [recording.status, ...recording.tracks.map((track) => track.status)] : [String(status)];
  };
  const recordingWhen = async (sessionId: string, wanted: string): Promise<RecordingEntity> => {
    await until(async () => (await statusesOf(sessionId))[0] === wanted, {
      withinMs: 20_000,
      what: `it to be ${wanted}`,
    });
    return (await show(sessionId)).recording;
  };
  /** Stores two seconds of both tracks, as a runtime does. */
  const storeSegment = async (sessionId: string, attempt: number, index: number, startFrame: number) => {
    const packets = { agent: [] as Uint8Array[], user: [] as Uint8Array[] };
    for (const [role, samples] of [
      ["agent", tone(440, 2, RATE)],
      ["user", speechLike({ pitchHz: 120, syllablesPerSecond: 4, seconds: 2, sampleRate: RATE })],
    ] as const) {
      const encoder = createOpusPackets({ sampleRate: RATE, bitsPerSecond: 32_000 });
      packets[role].push(...(await encoder.encode(samples)));
      encoder.free();
    }
    const segments = where().platform.fixture.bus.objects(recordingSegmentsBucket);
    await segments.put(recordingSegmentName(sessionId, attempt, index), encodeSegment({ startFrame, packets }));
  };
  const storeEnd = (sessionId: string, attempt: number): Promise<void> =>
    where()
      .platform.fixture.bus.objects(recordingSegmentsBucket)
      .put(recordingEndName(sessionId, attempt), new Uint8Array(0));
  const end = async (sessionId: string): Promise<void> => {
    where().platform.runtime.write(sessionId, { type: "ended", reason: "caller_left", detail: null });
    await sessionWhen(where().team, sessionId, hasStatus("completed"), "the end of the session");
  };
  /** A session in which somebody talks. */
  const talk = async (): Promise<string> => {
    const sessionId = await createSession(where().team, where().agentId);
    where().platform.runtime.write(sessionId, { type: "caller-joined" });
    await sessionWhen(where().team, sessionId, hasStatus("active"), "the beginning");
    return sessionId;
  };
  return { show, statusesOf, recordingWhen, storeSegment, storeEnd, end, talk };
}
