import type { KeyEntity } from "#protocol/keys";
import { momentText } from "../parts/time-text.js";

/** Whether a key counts, and what is to be said of it. */
export function keyState(
  { revoked_at, expires_at }: Pick<KeyEntity, "revoked_at" | "expires_at">,
  nowMs: number,
): { isGood: boolean; text: string } {
  if (revoked_at !== null) return { isGood: false, text: "revoked" };
  if (expires_at === null) return { isGood: true, text: "good" };
  const isGood = Date.parse(expires_at) > nowMs;
  return { isGood, text: isGood ? `good until ${momentText(expires_at)}` : "expired" };
}
