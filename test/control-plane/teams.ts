import { generateApiKey } from "#common/api-key";
import { newIdentifier, sha256Hex } from "#common/identifier";
import type { Db } from "#control-plane/database/database";
import { apiKeys, teams, users } from "#control-plane/database/schema";
import { grantCredit } from "#control-plane/ledger/grant";
import { EVERY_SCOPE, type Principal } from "#protocol/bus/control";

/** A team of its own with one user and one key. */
export async function addTeam(
  db: Db,
  options: { balanceMicros?: number } = {},
): Promise<{ teamId: string; key: string; principal: Principal }> {
  const now = new Date("2026-11-01T00:00:00.000Z");
  const [teamId, userId, keyId, key] = [newIdentifier(), newIdentifier(), newIdentifier(), generateApiKey()];
  const balanceMicros = options.balanceMicros ?? 1_000_000;
  await db
    .insert(teams)
    .values({ id: teamId, name: "t", betaAccess: false, maxConcurrentStreams: 0, createdAt: now, updatedAt: now });
  if (balanceMicros !== 0) await grantCredit(db, { id: newIdentifier(), teamId, micros: balanceMicros, note: "" }, now);
  await db
    .insert(users)
    .values({ id: userId, teamId, nickname: `user of ${teamId.slice(0, 4)}`, avatar: "", createdAt: now });
  await db
    .insert(apiKeys)
    .values({
      id: keyId,
      teamId,
      userId,
      name: "k",
      prefix: "p",
      digest: sha256Hex(key),
      scopes: [EVERY_SCOPE],
      createdAt: now,
    });
  return {
    teamId,
    key,
    principal: {
      teamId,
      userId,
      keyId,
      scopes: [EVERY_SCOPE],
      hasCredit: balanceMicros > 0,
      betaAccess: false,
      maxConcurrentStreams: 0,
    },
  };
}
