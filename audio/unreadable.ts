import { ServiceError } from "#protocol/errors";

/**
 * The one refusal of the decoders: audio that cannot be read, and why. `reason` names the cases that callers treat
 * differently.
 */
export function unreadable(
  detail: string,
  reason?: "too_long" | "too_short" | "ffmpeg_missing",
  cause?: unknown,
): ServiceError {
  return new ServiceError("unsupported_format", { parameters: { detail }, reason, cause });
}
