import { and, inArray, isNull } from "drizzle-orm";
import { type KeyRevoked, keyRevokedSubject } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import type { Db } from "../database/database.js";
import { apiKeys } from "../database/schema.js";

/** Makes every edge ask again about the keys of these teams: what they remember (credit, above all) is no longer so. */
export async function purgeKeys(bus: Pick<Bus, "publish">, db: Db, teamIds: string[]): Promise<void> {
  const rows = await db
    .select({ digest: apiKeys.digest })
    .from(apiKeys)
    .where(and(inArray(apiKeys.teamId, teamIds), isNull(apiKeys.revokedAt)));
  for (const { digest } of rows) bus.publish(keyRevokedSubject, { keyDigest: digest } satisfies KeyRevoked);
}
