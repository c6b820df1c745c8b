import { and, eq, gt, isNull, lte, or } from "drizzle-orm";
import { z } from "zod";
import type { ConsoleSession } from "#protocol/console";
import { CONSOLE_SESSION_MS, type ConsoleSessionsReply, SIGN_IN_CODE_MS } from "#protocol/bus/console-sessions";
import { ServiceError } from "#protocol/errors";
import { validate } from "#common/http/validation";
import type { Db } from "../database/database.js";
import { apiKeys, consoleSessions, consoleSignInCodes, teams } from "../database/schema.js";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const request = z.discriminatedUnion("action", [
  z.object({ action: z.literal("issue-code"), codeDigest: digest, keyId: z.string() }),
  z.object({ action: z.literal("open"), sessionDigest: digest, keyId: z.string() }),
  z.object({ action: z.literal("open-by-code"), sessionDigest: digest, codeDigest: digest }),
  z.object({ action: z.literal("describe"), keyId: z.string(), sessionDigest: digest.nullable() }),
  z.object({ action: z.literal("close"), sessionDigest: digest }),
]);

/** What was done, and whose remembered verdict is void. */
export interface ConsoleSessionsResult {
  reply: ConsoleSessionsReply;
  closedDigest: string | null;
}

const none = { reply: { session: null }, closedDigest: null };

/**
 * Carries out one request about sessions of the console. A session belongs to a key as it is now: of one that is
 * revoked, expired or replaced it opens nothing. Throws `invalid_token` for a key or code that is no good, and
 * `validation` for a malformed request.
 */
export async function administerConsoleSessions(db: Db, stranger: unknown, now: Date): Promise<ConsoleSessionsResult> {
  const asked = validate(request, stranger);
  switch (asked.action) {
    case "issue-code":
      await issueCode(db, asked, now);
      return none;
    case "open":
      return await db.transaction(async (tx) => {
        const keyDigest = await keyDigestOf(tx, asked.keyId);
        return await open(tx, asked.sessionDigest, keyDigest, now);
      });
    case "open-by-code":
      return await db.transaction(async (tx) => {
        const keyDigest = await useCode(tx, asked.codeDigest, now);
        return await open(tx, asked.sessionDigest, keyDigest, now);
      });
    case "describe": {
      const keyDigest = await keyDigestOf(db, asked.keyId);
      return { reply: { session: await describe(db, keyDigest, asked.sessionDigest, now) }, closedDigest: null };
    }
    case "close":
      await db.delete(consoleSessions).where(eq(consoleSessions.digest, asked.sessionDigest));
      return { ...none, closedDigest: asked.sessionDigest };
  }
}

async function issueCode(
  db: Db,
  { codeDigest, keyId }: { codeDigest: string; keyId: string },
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + SIGN_IN_CODE_MS);
  await db.delete(consoleSignInCodes).where(lte(consoleSignInCodes.expiresAt, now));
  await db
    .insert(consoleSignInCodes)
    .values({ digest: codeDigest, keyDigest: await keyDigestOf(db, keyId), expiresAt });
}

/** Takes a code away; gives whose it was. Of two that use it at once, one finds it. */
async function useCode(db: Db, codeDigest: string, now: Date): Promise<string> {
  const [used] = await db
    .delete(consoleSignInCodes)
    .where(and(eq(consoleSignInCodes.digest, codeDigest), gt(consoleSignInCodes.expiresAt, now)))
    .returning({ keyDigest: consoleSignInCodes.keyDigest });
  if (used === undefined) throw new ServiceError("invalid_token");
  return used.keyDigest;
}

async function keyDigestOf(db: Db, keyId: string): Promise<string> {
  const [key] = await db.select({ digest: apiKeys.digest }).from(apiKeys).where(eq(apiKeys.id, keyId));
  if (key === undefined) throw new ServiceError("invalid_token");
  return key.digest;
}

async function open(db: Db, sessionDigest: string, keyDigest: string, now: Date): Promise<ConsoleSessionsResult> {
  const expiresAt = new Date(now.getTime() + CONSOLE_SESSION_MS);
  await db.delete(consoleSessions).where(lte(consoleSessions.expiresAt, now));
  await db.insert(consoleSessions).values({ digest: sessionDigest, keyDigest, createdAt: now, expiresAt });
  return { reply: { session: await describe(db, keyDigest, sessionDigest, now) }, closedDigest: null };
}

async function describe(db: Db, keyDigest: string, sessionDigest: string | null, now: Date): Promise<ConsoleSession> {
  const [found] = await db
    .select({ key: apiKeys, team: teams, endsAt: consoleSessions.expiresAt })
    .from(apiKeys)
    .innerJoin(teams, eq(apiKeys.teamId, teams.id))
    .leftJoin(
      consoleSessions,
      and(eq(consoleSessions.keyDigest, apiKeys.digest), eq(consoleSessions.digest, sessionDigest ?? "")),
    )
    .where(
      and(
        eq(apiKeys.digest, keyDigest),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
      ),
    );
  if (found === undefined) throw new ServiceError("invalid_token");
  const { key, team, endsAt } = found;
  return {
    key: { id: key.id, name: key.name, prefix: key.prefix, scopes: key.scopes },
    team: { id: team.id, name: team.name },
    expires_at: endsAt?.toISOString() ?? null,
  };
}
