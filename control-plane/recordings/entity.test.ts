import { describe, expect, it } from "vitest";
import { recordingEntity } from "#protocol/agents/recording";
import type { SessionRow } from "../sessions/tables.js";
import { toRecordingEntity } from "./entity.js";
import type { RecordingRow } from "./tables.js";

const startedAt = new Date("2026-11-22T10:00:00.000Z");
const addresses = {
  urlOf: (role: string) => `https://parley.example/${role}`,
  expiresAt: new Date("2026-11-22T11:00:00.000Z"),
};

function session(change: Partial<SessionRow> & { recordsAudio?: boolean } = {}) {
  const { recordsAudio = true, ...rest } = change;
  return {
    ...{ id: "s", status: "completed" as const, startedAt },
    plan: { recordsAudio } as SessionRow["plan"],
    ...rest,
  };
}

function row(change: Partial<RecordingRow>): RecordingRow {
  return {
    ...{ sessionId: "s", status: "processing", runtimeAttempts: 1, joinAttempt: 0, startedAt },
    ...{ dueAt: startedAt, giveUpAt: startedAt, finishedAt: null },
    ...{ durationMs: null, agentBytes: null, userBytes: null, errorCode: null },
    ...change,
  };
}

const shown = (...given: Parameters<typeof toRecordingEntity>) => {
  const entity = toRecordingEntity(...given);
  return entity === null ? null : recordingEntity.parse(entity);
};
const statusesOf = (...given: Parameters<typeof toRecordingEntity>) => {
  const entity = shown(...given);
  return entity === null ? null : [entity.status, ...entity.tracks.map(({ role, status }) => `${role} ${status}`)];
};

describe("a recording as the API shows it", () => {
  it("is requested until the caller has joined, active while they talk, and until its files are written", () => {
    expect(statusesOf(session({ status: "pending", startedAt: null }), null, addresses)).toEqual([
      "processing",
      "agent requested",
      "user requested",
    ]);
    const active = ["processing", "agent active", "user active"];
    expect(statusesOf(session({ status: "active" }), null, addresses)).toEqual(active);
    expect(statusesOf(session(), row({}), addresses)).toEqual(active);
    expect(shown(session({ status: "active" }), null, addresses)?.tracks[0]).toMatchObject({
      ...{ url: null, expires_at: null, duration_ms: null, started_at: startedAt.toISOString(), ended_at: null },
    });
  });

  it("has an address of each track once it is complete", () => {
    const done = row({ status: "complete", durationMs: 61_500, agentBytes: 1, userBytes: 2, finishedAt: startedAt });
    const track = {
      ...{ status: "complete", duration_ms: 61_500, error: null, error_code: null },
      ...{ started_at: startedAt.toISOString(), ended_at: "2026-11-22T10:01:01.500Z" },
      expires_at: "2026-11-22T11:00:00.000Z",
    };
    expect(shown(session(), done, addresses)).toEqual({
      ...{ session_id: "s", status: "complete", error: null, error_code: null, error_message: null },
      tracks: [
        { ...track, role: "agent", url: "https://parley.example/agent" },
        { ...track, role: "user", url: "https://parley.example/user" },
      ],
    });
  });

  it("says why it failed", () => {
    const failed = shown(session(), row({ status: "failed", errorCode: "no_audio" }), addresses);
    expect(failed).toMatchObject({
      ...{ status: "failed", error_code: "no_audio", error_message: "Nothing of the recording was stored" },
      tracks: [
        { status: "failed", error_code: "no_audio", url: null },
        { status: "failed", error_code: "no_audio", url: null },
      ],
    });
  });

  it.each([
    ["that is not recorded", session({ status: "active", recordsAudio: false })],
    ["that nobody joined", session({ status: "failed", startedAt: null })],
    ["whose recording is deleted", session()],
  ])("is none of a session %s", (_, of) => {
    expect(shown(of, null, addresses)).toBeNull();
  });
});
