import { and, eq, gt, lte, sql } from "drizzle-orm";
import { sha256Hex } from "#common/identifier";
import { IDEMPOTENCY_MS, type PhoneCallCreate } from "#protocol/agents/phone-call";
import type { Db } from "../database/database.js";
import { teams } from "../database/schema.js";
import { refusal } from "./refusal.js";
import { phoneCallKeys } from "./tables.js";

/** A request that named itself, as it is told from others. */
export interface NamedRequest {
  teamId: string;
  key: string;
  bodyDigest: string;
}

/** Bodies that say the same have one digest, in whatever order they say it. */
export function digestOf(body: PhoneCallCreate): string {
  return sha256Hex(JSON.stringify(body, (_name, value: unknown) => (isRecord(value) ? inOrder(value) : value)));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const inOrder = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The session that this request was answered with; null where it was not. Throws `idempotency_key_reuse`. */
export async function answeredSession(tx: Db, request: NamedRequest, now: Date): Promise<string | null> {
  const { teamId, key, bodyDigest } = request;
  const since = new Date(now.getTime() - IDEMPOTENCY_MS);
  const [known] = await tx
    .select()
    .from(phoneCallKeys)
    .where(and(eq(phoneCallKeys.teamId, teamId), eq(phoneCallKeys.key, key), gt(phoneCallKeys.createdAt, since)));
  if (known === undefined) return null;
  if (known.bodyDigest !== bodyDigest) throw refusal("idempotency_key_reuse");
  return known.sessionId;
}

/** Any fixed number: sets these locks apart from others of the database. */
const KEY_LOCK = 7_262_755;

/** Makes this transaction the one that answers the request. Throws `idempotency_key_conflict` where another one does. */
export async function claimKey(tx: Db, { teamId, key }: NamedRequest): Promise<void> {
  const name = `${teamId} ${key}`;
  const [answer] = await tx
    .select({ taken: sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, ${KEY_LOCK}))` })
    .from(teams)
    .where(eq(teams.id, teamId));
  if (answer?.taken !== true) throw refusal("idempotency_key_conflict");
}

/** Remembers what a request was answered with, in the place of those of the team that are too old. */
export async function storeKey(tx: Db, request: NamedRequest, sessionId: string, now: Date): Promise<void> {
  const { teamId } = request;
  const since = new Date(now.getTime() - IDEMPOTENCY_MS);
  await tx.delete(phoneCallKeys).where(and(eq(phoneCallKeys.teamId, teamId), lte(phoneCallKeys.createdAt, since)));
  await tx.insert(phoneCallKeys).values({ ...request, sessionId, createdAt: now });
}
