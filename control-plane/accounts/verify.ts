import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { VerifyKeyReply } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { isDiskFull } from "../database/failure.js";
import { apiKeys, consoleSessions, ledgerAccounts, teams } from "../database/schema.js";

/** A key's last use is written at most this often: it is for people to read, not a log. */
const LAST_USED_INTERVAL_MS = 60_000;

/**
 * Gives the caller that a key stands for, or a session of the console. Keys carry 256 random bits and are looked up by
 * their SHA-256, so the time of the look-up tells nothing that helps to guess one. Throws `invalid_token` for one that
 * is unknown or revoked and `token_expired` for an expired one.
 */
export async function verifyKey(db: Db, keyDigest: string, now: Date): Promise<VerifyKeyReply> {
  const found = (await findKey(db, keyDigest)) ?? (await findSession(db, keyDigest));
  if (found === undefined || found.key.revokedAt !== null) throw new ServiceError("invalid_token");
  const { key, team, creditMicros, endsAt = null } = found;
  const expiresAt = earliest(key.expiresAt, endsAt);
  if (expiresAt !== null && expiresAt <= now) throw new ServiceError("token_expired");
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() >= LAST_USED_INTERVAL_MS)
    await touch(db, key.id, now);
  return {
    principal: {
      teamId: team.id,
      userId: key.userId,
      keyId: key.id,
      scopes: key.scopes,
      hasCredit: (creditMicros ?? 0) > 0,
      betaAccess: team.betaAccess,
      maxConcurrentStreams: team.maxConcurrentStreams,
    },
    expiresAtMs: expiresAt?.getTime() ?? null,
  };
}

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? (one ?? other) : one < other ? one : other;

interface FoundKey {
  key: typeof apiKeys.$inferSelect;
  team: typeof teams.$inferSelect;
  creditMicros: number | null;
  /** When a session of the console ends; the key itself has none. */
  endsAt?: Date;
}

async function findKey(db: Db, keyDigest: string): Promise<FoundKey | undefined> {
  const [found] = await db
    .select({ key: apiKeys, team: teams, creditMicros: ledgerAccounts.balanceMicros })
    .from(apiKeys)
    .innerJoin(teams, eq(apiKeys.teamId, teams.id))
    .leftJoin(ledgerAccounts, and(eq(ledgerAccounts.teamId, teams.id), eq(ledgerAccounts.kind, "credit")))
    .where(eq(apiKeys.digest, keyDigest));
  return found;
}

/** The key for which a session of the console stands. */
async function findSession(db: Db, sessionDigest: string): Promise<FoundKey | undefined> {
  const [session] = await db.select().from(consoleSessions).where(eq(consoleSessions.digest, sessionDigest));
  const key = session === undefined ? undefined : await findKey(db, session.keyDigest);
  return session === undefined || key === undefined ? undefined : { ...key, endsAt: session.expiresAt };
}

/** Notes the use, where the database can write: a full disk closes no door. */
async function touch(db: Db, keyId: string, now: Date): Promise<void> {
  const stale = or(
    isNull(apiKeys.lastUsedAt),
    lte(apiKeys.lastUsedAt, new Date(now.getTime() - LAST_USED_INTERVAL_MS)),
  );
  try {
    await db
      .update(apiKeys)
      .set({ lastUsedAt: now })
      .where(and(eq(apiKeys.id, keyId), stale));
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
