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
    case "create":
      return { reply: await createKey(db, request, now), revokedDigest: null };
    case "list":
      return { reply: { keys: await listKeys(db), key: null }, revokedDigest: null };
    case "revoke":
      return await revokeKey(db, request.keyId, now);
  }
}

type CreateRequest = Extract<z.output<typeof keysRequest>, { action: "create" }>;

async function createKey(db: Db, request: CreateRequest, now: Date): Promise<KeysReply> {
  const teamId = request.teamId ?? DEVELOPMENT_TEAM_ID;
  const [member] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.teamId, teamId))
    .orderBy(asc(users.createdAt))
    .limit(1);
  if (member === undefined) throw new ServiceError("not_found");
  const key = generateApiKey();
  const [row] = await db
    .insert(apiKeys)
    .values({
      id: newIdentifier(),
      teamId,
      userId: member.id,
      name: request.name,
      prefix: apiKeyPrefix(key),
      digest: sha256Hex(key),
      scopes: request.scopes ?? [EVERY_SCOPE],
      createdAt: now,
      expiresAt: request.expiresInMs === null ? null : new Date(now.getTime() + request.expiresInMs),
    })
    .returning();
  return { keys: row === undefined ? [] : [summaryOf(row)], key };
}

async function listKeys(db: Db): Promise<KeySummary[]> {
  const rows = await db.select().from(apiKeys).orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
  return rows.map(summaryOf);
}

async function revokeKey(db: Db, keyId: string, now: Date): Promise<KeysResult> {
  await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  if (row === undefined) throw new ServiceError("not_found");
  return { reply: { keys: [summaryOf(row)], key: null }, revokedDigest: row.digest };
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
