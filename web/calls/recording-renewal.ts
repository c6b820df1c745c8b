import type { RecordingEntity } from "#protocol/agents/recording";

const ASK_AGAIN_MS = 2000;
/** Download addresses are good for minutes only; a new one comes before the old one ends. */
const RENEW_BEFORE_MS = 60_000;

/** When to ask again: soon while it is made, else before its addresses expire; false for never. */
export function renewalMs(recording: RecordingEntity | null, nowMs: number): number | false {
  if (recording === null || recording.status === "failed") return false;
  if (recording.status === "processing") return ASK_AGAIN_MS;
  const expiries = recording.tracks.flatMap(({ expires_at }) => (expires_at === null ? [] : [Date.parse(expires_at)]));
  return expiries.length === 0 ? false : Math.max(ASK_AGAIN_MS, Math.min(...expiries) - nowMs - RENEW_BEFORE_MS);
}
