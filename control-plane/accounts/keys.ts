import { and, asc, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { apiKeyPrefix, generateApiKey } from "#common/api-key";
import { validate } from "#common/http/validation";
import { newIdentifier, sha256Hex } from "#common/identifier";
import { EVERY_SCOPE, type KeySummary, type KeysReply, keyScopes } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { apiKeys, users } from "../database/schema.js";
import { DEVELOPMENT_TEAM_ID } from "./development.js";

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;

const keysRequest = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("create"),
    name: z
      .string()
      .min(1)
      .max(128)
      .refine((name) => !name.includes("\u0000"), { message: "Input should not contain NUL characters" }),
    teamId: z.string().nullable(),
    scopes: z.array(z.enum([...keyScopes, EVERY_SCOPE])).nullable(),
    expiresInMs: z.int().min(1).max(TEN_YEARS_MS).nullable(),
  }),
  z.object({ action: z.literal("list") }),
  z.object({ action: z.literal("revoke"), keyId: z.string() }),
]);

/** What key administration did, and whose remembered verdict is void. */
export interface KeysResult {
  reply: KeysReply;
  revokedDigest: string | null;
}

/**
 * Carries out one request of key administration. A key without a team belongs to the development team; null scopes are
 * all of them. Throws `validation` for a malformed request and `not_found` for an unknown team or key. Revoking twice
 * is harmless.
 */
export async function administerKeys(db: Db, stranger: unknown, now: Date): Promise<KeysResult> {
  const request = validate(keysRequest, stranger);
  switch (request.action) {
    case "create": {
      const { summary, key } = await createKey(db, request, now);
      return { reply: { keys: [summary], key }, revokedDigest: null };
    }
    case "list":
      return { reply: { keys: await listKeys(db), key: null }, revokedDigest: null };
    case "revoke": {
      const { summary, digest } = await revokeKey(db, request.keyId, now);
      return { reply: { keys: [summary], key: null }, revokedDigest: digest };
    }
  }
}

/** A key to be made. */
export interface WantedKey {
  name: string;
  /** Null is the development team. */
  teamId: string | null;
  /** Whose it is; the team's first member where absent. */
  userId?: string;
  /** Null is every scope. */
  scopes: string[] | null;
  /** Null is never. */
  expiresInMs: number | null;
}

/** Makes a key; gives it with its secret. Throws `not_found` for no such team. */
export async function createKey(db: Db, wanted: WantedKey, now: Date): Promise<{ summary: KeySummary; key: string }> {
  const teamId = wanted.teamId ?? DEVELOPMENT_TEAM_ID;
  const userId = wanted.userId ?? (await firstMember(db, teamId));
  const key = generateApiKey();
  const row: typeof apiKeys.$inferSelect = {
    id: newIdentifier(),
    teamId,
    userId,
    name: wanted.name,
    prefix: apiKeyPrefix(key),
    digest: sha256Hex(key),
    scopes: wanted.scopes ?? [EVERY_SCOPE],
    createdAt: now,
    expiresAt: wanted.expiresInMs === null ? null : new Date(now.getTime() + wanted.expiresInMs),
    revokedAt: null,
    lastUsedAt: null,
  };
  await db.insert(apiKeys).values(row);
  return { summary: summaryOf(row), key };
}

async function firstMember(db: Db, teamId: string): Promise<string> {
  const [member] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.teamId, teamId))
    .orderBy(asc(users.createdAt))
    .limit(1);
  if (member === undefined) throw new ServiceError("not_found");
  return member.id;
}

/** All keys, or those of one team, oldest first. */
export async function listKeys(db: Db, teamId?: string): Promise<KeySummary[]> {
  const rows = await db
    .select()
    .from(apiKeys)
    .where(teamId === undefined ? undefined : eq(apiKeys.teamId, teamId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
  return rows.map(summaryOf);
}

/**
 * Makes a key count no more, whoever's it is or, where `teamId` is given, only one of that team. Gives its digest too:
 * what edges remember of it is void. Throws `not_found`.
 */
export async function revokeKey(
  db: Db,
  keyId: string,
  now: Date,
  teamId?: string,
): Promise<{ summary: KeySummary; digest: string }> {
  // Not everything that fits into a path may be asked of the database.
  if (!/^[\w-]{1,64}$/.test(keyId)) throw new ServiceError("not_found");
  const own = and(eq(apiKeys.id, keyId), teamId === undefined ? undefined : eq(apiKeys.teamId, teamId));
  await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(own, isNull(apiKeys.revokedAt)));
  const [row] = await db.select().from(apiKeys).where(own);
  if (row === undefined) throw new ServiceError("not_found");
  return { summary: summaryOf(row), digest: row.digest };
}

function summaryOf(row: typeof apiKeys.$inferSelect): KeySummary {
  return {
    keyId: row.id,
    name: row.name,
    teamId: row.teamId,
    prefix: row.prefix,
    scopes: row.scopes,
    createdAtMs: row.createdAt.getTime(),
    expiresAtMs: row.expiresAt?.getTime() ?? null,
    revokedAtMs: row.revokedAt?.getTime() ?? null,
    lastUsedAtMs: row.lastUsedAt?.getTime() ?? null,
  };
}
