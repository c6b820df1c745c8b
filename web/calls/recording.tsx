import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import type { RecordingEntity } from "#protocol/agents/recording";
import { ApiFailure, ask } from "../api/request.js";
import { FailureNote } from "../shell/failure-note.js";
import { type PlayableTrack, Player, type Seek } from "./player.js";
import { renewalMs } from "./recording-renewal.js";

interface RecordingProps {
  /** Of the session. */
  path: string;
  startedAt: string;
  /** Takes what plays the recording while there is one. */
  seek: RefObject<Seek | null>;
}

/** Both sides of a call, to be heard together. */
export function Recording({ path, startedAt, seek }: RecordingProps) {
  const { data, error } = useQuery({
    queryKey: ["recording", path],
    queryFn: () => askForRecording(path),
    refetchInterval: ({ state }) => renewalMs(state.data ?? null, Date.now()),
  });
  return (
    <section className="card" aria-labelledby="recording">
      <h2 id="recording">Recording</h2>
      {error === null ? null : <FailureNote doing="The recording cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : null}
      {data === null ? <p className="soft">It was not recorded, or the recording is gone.</p> : null}
      {data === undefined || data === null ? null : <Tracks recording={data} {...{ startedAt, seek }} />}
    </section>
  );
}

/** Null where there is none. */
async function askForRecording(path: string): Promise<RecordingEntity | null> {
  try {
    return await ask<RecordingEntity>("GET", `${path}/recording`);
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return null;
    throw error;
  }
}

function Tracks({ recording, startedAt, seek }: { recording: RecordingEntity } & Omit<RecordingProps, "path">) {
  const playable = recording.tracks.flatMap(({ role, url, duration_ms }): PlayableTrack[] =>
    url === null || duration_ms === null ? [] : [{ role, url: ownPath(url), durationMs: duration_ms }],
  );
  const failed = recording.tracks.filter(({ status }) => status === "failed");
  const beganAt = recording.tracks.find(({ started_at }) => started_at !== null)?.started_at ?? startedAt;
  return (
    <>
      {recording.status === "processing" ? <p role="status">It is being put together…</p> : null}
      {recording.error_message === null ? null : <p className="note bad">{recording.error_message}</p>}
      {failed.map(({ role, error }) => (
        <p key={role} className="note bad">
          The {role}'s side is lost: {error ?? "nobody said why"}
        </p>
      ))}
      {playable.length === 0 ? null : (
        <Player tracks={playable} offsetSeconds={(Date.parse(startedAt) - Date.parse(beganAt)) / 1000} seek={seek} />
      )}
    </>
  );
}

/** The address as this page may ask for it, whatever name the service gives itself. */
function ownPath(url: string): string {
  const { pathname, search } = new URL(url, window.location.href);
  return pathname + search;
}
