import { z } from "zod";
import { type OpenRecordingReply, recordingRoles } from "#protocol/bus/recording";
import { ServiceError } from "#protocol/errors";
import { baseUrlOf } from "#common/http/base-url";
import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import type { Db } from "../database/database.js";
import { json, type Route } from "../http/route.js";
import { findSession } from "../sessions/store.js";
import { toRecordingEntity } from "./entity.js";
import type { RecordingFiles } from "./recording-files.js";
import { isSignedAddress, signedPath } from "./signed-address.js";
import { findRecording } from "./store.js";

/** What the operator sets. */
export interface RecordingSettings {
  /** How long a download address is good. */
  urlMs: number;
  /** What addresses begin with; null is what the request was sent to. */
  publicUrl: string | null;
  /** How long recordings are kept; null is for ever. */
  retentionMs: number | null;
}

export interface RecordingRoutesOptions {
  db: Db;
  sealer: Sealer;
  settings: RecordingSettings;
  /** Wall-clock time. */
  now: () => Date;
}

/** `/v1/agent/sessions/{session_id}/recording` (docs/agents.md "Recordings"). */
export function recordingRoutes({ db, sealer, settings, now }: RecordingRoutesOptions): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/agent/sessions/:session_id/recording",
      scope: "agents",
      async handle({ principal, parameters, headers }) {
        const session = await findSession(db, principal.teamId, parameters["session_id"] ?? "");
        const base = settings.publicUrl?.replace(/\/$/, "") ?? baseUrlOf((name) => headers[name]) ?? "";
        const expiresAt = new Date(Math.floor((now().getTime() + settings.urlMs) / 1000) * 1000);
        const entity = toRecordingEntity(session, await findRecording(db, session.id), {
          urlOf: (role) => base + signedPath(sealer, { sessionId: session.id, role, expiresAt }),
          expiresAt,
        });
        if (entity === null) throw new ServiceError("recording_not_found");
        return json(200, entity);
      },
    },
  ];
}

const openRequest = z.object({ sessionId: z.string(), role: z.string(), expires: z.string(), signature: z.string() });

/** Answers an edge what a download address leads to. Throws `recording_not_found` and `dependency_unavailable`. */
export async function openRecording(
  {
    db,
    sealer,
    now,
    files,
  }: Pick<RecordingRoutesOptions, "db" | "sealer" | "now"> & { files: Pick<RecordingFiles, "address"> },
  question: unknown,
): Promise<OpenRecordingReply> {
  const asked = validate(openRequest, question);
  const role = recordingRoles.find((known) => known === asked.role);
  if (role === undefined || !isSignedAddress(sealer, asked, now())) throw new ServiceError("recording_not_found");
  const row = await findRecording(db, asked.sessionId);
  const bytes = role === "agent" ? row?.agentBytes : row?.userBytes;
  if (bytes === null || bytes === undefined) throw new ServiceError("recording_not_found");
  const address = await files.address(asked.sessionId, role, new Date(Number(asked.expires) * 1000));
  return { role, bytes, address };
}
