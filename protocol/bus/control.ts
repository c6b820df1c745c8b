import type { ErrorRecord } from "../errors.js";
import type { VoiceTraits } from "../speech/chunk.js";
import type { StoredSpan } from "./span-stream.js";

/** Requests to the control plane; any instance may answer (queue group `control-plane`). */
export const controlSubjects = {
  verifyKey: "parley.control.verify-key",
  resolveVoices: "parley.control.resolve-voices",
  voicePrompt: "parley.control.voice-prompt",
  http: "parley.control.http",
  keys: "parley.control.keys",
  teams: "parley.control.teams",
  credit: "parley.control.credit",
  trace: "parley.control.trace",
  searchKnowledge: "parley.control.search-knowledge",
  takeTestRun: "parley.control.take-test-run",
  finishTestRun: "parley.control.finish-test-run",
  takeAnalysis: "parley.control.take-analysis",
  finishAnalysis: "parley.control.finish-analysis",
  consoleSessions: "parley.control.console-sessions",
  openRecording: "parley.control.open-recording",
  snapshot: "parley.control.snapshot",
} as const;

/**
 * Published when what edges remember of a key is no longer so (revoked; credit gone, or come): every edge purges it at
 * once and asks again. Payload: `KeyRevoked`.
 */
export const keyRevokedSubject = "parley.events.key-revoked";

/** Published when a voice changes or goes. Payload: `VoiceChanged`. */
export const voiceChangedSubject = "parley.events.voice-changed";

/** Published by edges after every finished request; settles credit. Payload: `UsageRecord`. */
export const usageSubject = "parley.events.usage";

/** Answers on the control subjects: the value, or the error to show. */
export type Reply<T> = { ok: true; value: T } | { ok: false; error: ErrorRecord };

/** Parts of the API that a key may be limited to. */
export const keyScopes = ["speech", "transcription", "voices", "wallet", "agents", "keys"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Stands for every scope, those of later versions included. */
export const EVERY_SCOPE = "*";

/** Whether a caller's key covers a part of the API. */
export function hasScope(principal: Pick<Principal, "scopes">, scope: KeyScope): boolean {
  return principal.scopes.includes(EVERY_SCOPE) || principal.scopes.includes(scope);
}

/** Who is calling. */
export interface Principal {
  teamId: string;
  userId: string;
  keyId: string;
  /** Names from `keyScopes`, or `EVERY_SCOPE`. */
  scopes: string[];
  /** False when the team's balance is used up: paid models answer 402. */
  hasCredit: boolean;
  betaAccess: boolean;
  /** Most streams the team may have at once; 0 is no limit. */
  maxConcurrentStreams: number;
}

/** `keyDigest` is the SHA-256 of the presented key, hex: the key itself does not travel. */
/** How long an edge waits for the answer to a `VerifyKeyRequest`; later nobody wants it any more. */
export const VERIFY_TIMEOUT_MS = 2000;

export interface VerifyKeyRequest {
  keyDigest: string;
  /**
   * Whether the asking edge believes the key and only wants to be sure: such questions go before those about keys that
   * may be anybody's guess.
   */
  isKnown: boolean;
  /** W3C trace context of the request that asks first; the answer may be another's too. */
  traceparent?: string | null;
}

/** Refusals come as `Reply` errors `invalid_token` and `token_expired`. */
export interface VerifyKeyReply {
  principal: Principal;
  /** Milliseconds since the epoch after which the key is expired; null is never. */
  expiresAtMs: number | null;
}

export interface KeyRevoked {
  keyDigest: string;
}

export interface ResolveVoicesRequest {
  teamId: string;
  voiceIds: string[];
  /** W3C trace context of the request that needs them. */
  traceparent?: string | null;
}

/** A saved voice as the speech path needs it. */
export interface ResolvedVoice {
  voiceId: string;
  traits: VoiceTraits | null;
  /** Whether `voicePrompt` gives a recording of it; it does not when absent. */
  hasPrompt?: boolean;
}

/** In the order asked; null where the team may not use the voice or it does not exist. */
export interface ResolveVoicesReply {
  voices: (ResolvedVoice | null)[];
}

export interface VoiceChanged {
  voiceId: string;
}

/**
 * Answered with `{}` by the control plane that is at work on a forwarded request, from `FORWARDED_CLAIM_MS` after it
 * took it until a moment after its answer. Nobody answers once that process is gone.
 */
export const forwardedRequestSubject = (requestId: string): string => `parley.control.request.${requestId}`;

/** Most requests are answered before anybody could want to know. */
export const FORWARDED_CLAIM_MS = 1000;

/** A request that the edge has authenticated and passes on. */
export interface ForwardedRequest {
  /** Names it to whoever asks whether somebody is at work on it; absent where nobody does. */
  requestId?: string;
  method: string;
  path: string;
  /** Raw query string without `?`. */
  query: string;
  /** Lower-case names; only those travel that the control plane answers by (`edge/forwarding/forwarder.ts`). */
  headers: Record<string, string>;
  body: Uint8Array;
  /**
   * Set when the body was too large for the bus: its name in the `uploads` object bucket. The control plane deletes it.
   */
  bodyObject: string | null;
  /** Null on the few routes that need no key, and for callers without one where it is optional. */
  principal: Principal | null;
  /** Of whoever calls without a key where it is optional. */
  clientAddress?: string | null;
}

export interface ForwardedResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  /**
   * Set when the body is too large for the bus: its name in the `uploads` object bucket, and `body` is empty. The edge
   * deletes it after reading.
   */
  bodyObject?: string | null;
}

/** Largest body that travels inside a bus message; larger ones go through the object bucket. */
export const MAX_INLINE_BODY_BYTES = 512 * 1024;

/**
 * Bodies on their way. Whoever reads one deletes it; what is left when a role dies in between is gone after a while:
 * longer than any request takes.
 */
export const uploadsBucket = { name: "uploads", maxAgeMs: 10 * 60_000 };

/** Samples of voices as they were sent, and covers. */
export const voicesBucket = { name: "voices", maxAgeMs: 0 };

/** Where the copy lies that `controlSubjects.snapshot` makes, below the data directory. */
export const SNAPSHOT_FOLDER = "database.backup";

/** Asks where the stores are that a backup copies, and for the copy of the embedded database into `SNAPSHOT_FOLDER`. */
export interface SnapshotRequest {
  copies: boolean;
}

export interface SnapshotReply {
  /** False where a Postgres server has it: nothing is copied then. */
  hasDatabase: boolean;
  /** Whether an S3 store has recordings and voices. */
  hasObjectStore: boolean;
}

/**
 * How a request ended. `partial`: its edge died, and the record says what the request had used at the edge's last
 * report; should the edge have lived all the same, the record of the real end replaces it.
 */
export const usageOutcomes = ["completed", "cancelled", "failed", "partial"] as const;

/**
 * What one request used: what was given to its client, however it ended. `usageId` makes settling it twice harmless.
 */
export interface UsageRecord {
  usageId: string;
  teamId: string;
  keyId: string;
  route: string;
  model: string;
  characters: number;
  audioMs: number;
  firstAudioMs: number | null;
  totalMs: number;
  outcome: (typeof usageOutcomes)[number];
  traceId: string;
  /** Milliseconds since the epoch. */
  finishedAtMs: number;
  /** Saved voices that spoke: each counts one task. */
  voiceIds?: string[];
  /** Of a conversation: how long it was, as far as it is charged. */
  conversationMs?: number;
  /** The agent in whose conversation it was used. */
  agentId?: string;
}

/** Key administration for the command line. */
export type KeysRequest =
  | { action: "create"; name: string; teamId: string | null; scopes: string[] | null; expiresInMs: number | null }
  | { action: "list" }
  | { action: "revoke"; keyId: string };

export interface KeySummary {
  keyId: string;
  name: string;
  teamId: string;
  /** First characters, enough to recognise it. */
  prefix: string;
  scopes: string[];
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
  lastUsedAtMs: number | null;
}

/** `key` is the secret itself, shown once, on creation. */
export interface KeysReply {
  keys: KeySummary[];
  key: string | null;
}

/** Team administration for the command line. */
export type TeamsRequest =
  | { action: "create"; name: string; betaAccess: boolean; maxConcurrentStreams: number }
  | { action: "list" }
  /** What is null stays as it is. */
  | {
      action: "change";
      teamId: string;
      name: string | null;
      betaAccess: boolean | null;
      maxConcurrentStreams: number | null;
    };

export interface TeamSummary {
  teamId: string;
  name: string;
  betaAccess: boolean;
  /** 0 is no limit. */
  maxConcurrentStreams: number;
  /** Spendable credit, a decimal in text. */
  credit: string;
  createdAtMs: number;
}

export interface TeamsReply {
  teams: TeamSummary[];
}

/** Credit administration for the command line. Amounts are decimals of credits in text: no float ever holds money. */
export type CreditRequest =
  /** `grantId` makes granting twice harmless; `amount` may be negative: then credit is taken back. */
  | { action: "grant"; grantId: string; teamId: string; amount: string; note: string }
  | { action: "show"; teamId: string }
  /** Proves the whole ledger from its entries. */
  | { action: "audit" };

export interface CreditEntry {
  entryId: string;
  kind: string;
  note: string;
  /** What the team's spendable credit gained. */
  amount: string;
  occurredAtMs: number;
}

export interface CreditReply {
  /** Null for an audit. */
  balances: { teamId: string; credit: string; held: string; granted: string; spent: string } | null;
  /** The newest entries, newest first. */
  entries: CreditEntry[];
  /** What an audit found wrong; empty is well. */
  findings: string[];
}

/** Asks for a trace of the cluster, for the command line. */
export interface TraceRequest {
  /** 32 hex characters. */
  traceId: string;
}

/** The spans that are kept, in the order in which they began; none for a trace that nobody knows. */
export interface TraceReply {
  spans: StoredSpan[];
}
