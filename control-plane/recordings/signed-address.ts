import type { RecordingRole } from "#protocol/bus/recording";
import type { Sealer } from "#common/secrets/sealer";

const CONTEXT = "recording";

/** What a download address is for. */
interface Download {
  sessionId: string;
  role: string;
  /** Seconds since 1970, as the address has it. */
  expires: string;
}

/** Path and query of an address that everybody may download a track from until it expires. */
export function signedPath(
  sealer: Pick<Sealer, "sign">,
  { sessionId, role, expiresAt }: { sessionId: string; role: RecordingRole; expiresAt: Date },
): string {
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  const signature = sealer.sign(textOf({ sessionId, role, expires }), CONTEXT);
  return `/v1/recordings/${sessionId}/${role}?expires=${expires}&signature=${signature}`;
}

/** Whether an address is one of ours, unchanged, and has not expired. */
export function isSignedAddress(
  sealer: Pick<Sealer, "isSigned">,
  { signature, ...download }: Download & { signature: string },
  now: Date,
): boolean {
  return sealer.isSigned(textOf(download), CONTEXT, signature) && now.getTime() < Number(download.expires) * 1000;
}

const textOf = ({ sessionId, role, expires }: Download): string => JSON.stringify([sessionId, role, expires]);
