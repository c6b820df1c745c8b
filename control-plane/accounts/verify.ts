import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { VerifyKeyReply } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { isDiskFull } from "../database/failure.js";
import { apiKeys, ledgerAccounts, teams } from "../database/schema.js";

/** A key's last use is written at most this often: it is for people to read, not a log. */
const LAST_USED_INTERVAL_MS = 60_000;

/**
 * Gives the caller that a key stands for. Keys carry 256 random bits and are looked up by their SHA-256, so the time of
 * the look-up tells nothing that helps to guess one. Throws `invalid_token` for an unknown or revoked key and
 * `token_expired` for an expired one.
 */
export async function verifyKey(db: Db, keyDigest: string, now: Date): Promise<VerifyKeyReply> {
  const [found] = await db
    .select({ key: apiKeys, team: teams, creditMicros: ledgerAccounts.balanceMicros })
    .from(apiKeys)
    .innerJoin(teams, eq(apiKeys.teamId, teams.id))
    .leftJoin(ledgerAccounts, and(eq(ledgerAccounts.teamId, teams.id), eq(ledgerAccounts.kind, "credit")))
    .where(eq(apiKeys.digest, keyDigest));
  if (found === undefined || found.key.revokedAt !== null) throw new ServiceError("invalid_token");
  const { key, team, creditMicros } = found;
  if (key.expiresAt !== null && key.expiresAt <= now) throw new ServiceError("token_expired");
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
    expiresAtMs: key.expiresAt?.getTime() ?? null,
  };
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
