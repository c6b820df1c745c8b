import type { ConsoleSession } from "../console.js";

/** How long somebody stays signed in to the console. */
export const CONSOLE_SESSION_MS = 12 * 3600 * 1000;

/** How long a sign-in code is good for; it is good once. */
export const SIGN_IN_CODE_MS = 10 * 60_000;

/**
 * What a session's token and a sign-in code are known by outside of the edge that makes them: their SHA-256, hex. The
 * blank keeps them apart from API keys, which have none: a token opens nothing as a key.
 */
export const consoleCredential = (kind: "session" | "code", secret: string): string => `${kind} ${secret}`;

/** Asked of the control plane on `controlSubjects.consoleSessions`. Digests are of `consoleCredential`. */
export type ConsoleSessionsRequest =
  | { action: "issue-code"; codeDigest: string; keyId: string }
  /** Begins a session for a key, or for the key of a code that is used up by it. */
  | { action: "open"; sessionDigest: string; keyId: string }
  | { action: "open-by-code"; sessionDigest: string; codeDigest: string }
  | { action: "describe"; keyId: string; sessionDigest: string | null }
  | { action: "close"; sessionDigest: string };

/** `session` is null after `issue-code` and `close`. A code or key that is no good comes back as `invalid_token`. */
export interface ConsoleSessionsReply {
  session: ConsoleSession | null;
}
