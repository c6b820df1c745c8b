import { and, eq, inArray, isNull } from "drizzle-orm";
import { type KeyRevoked, keyRevokedSubject } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import type { Db } from "../database/database.js";
import { apiKeys, consoleSessions } from "../database/schema.js";

/** Makes every edge ask again about the keys of these teams: what they remember (credit, above all) is no longer so. */
export async function purgeKeys(bus: Pick<Bus, "publish">, db: Db, teamIds: string[]): Promise<void> {
  const rows = await db
    .select({ digest: apiKeys.digest })
    .from(apiKeys)
    .where(and(inArray(apiKeys.teamId, teamIds), isNull(apiKeys.revokedAt)));
  for (const { digest } of rows) await purgeKey(bus, db, digest);
}

/** Makes every edge ask again about a key, and about the sessions of the console that stand for it. */
export async function purgeKey(bus: Pick<Bus, "publish">, db: Db, digest: string): Promise<void> {
  bus.publish(keyRevokedSubject, { keyDigest: digest } satisfies KeyRevoked);
  const sessions = await db
    .select({ keyDigest: consoleSessions.digest })
    .from(consoleSessions)
    .where(eq(consoleSessions.keyDigest, digest));
  for (const session of sessions) bus.publish(keyRevokedSubject, session satisfies KeyRevoked);
}
