import { eq } from "drizzle-orm";
import { apiKeyPrefix } from "#common/api-key";
import { newIdentifier, sha256Hex } from "#common/identifier";
import { EVERY_SCOPE } from "#protocol/bus/control";
import type { Db } from "../database/database.js";
import { apiKeys, teams, users } from "../database/schema.js";
import { lockCredit, post } from "../ledger/post.js";
import { MICROS_PER_CREDIT } from "./prices.js";

const fixedId = (name: string): string => sha256Hex(`parley development ${name}`).slice(0, 32);

/** The team that every installation has: the development key and keys made without a team belong to it. */
export const DEVELOPMENT_TEAM_ID = fixedId("team");
const DEVELOPMENT_USER_ID = fixedId("user");
const DEVELOPMENT_KEY_ID = fixedId("key");

/** Credit that the development team has after every start. */
export const DEVELOPMENT_CREDIT_MICROS = 1_000 * MICROS_PER_CREDIT;

/**
 * Makes sure that the development team exists and has credit and beta access and, with a key given, that this key and
 * no earlier development key opens it. Gives the digest of the key that this replaced, or null. Several instances may
 * do this at once: for one of them, once in the life of a database, the team is new, and `seedTeam` runs in the
 * transaction that makes it.
 */
export async function seedDevelopment(
  db: Db,
  key: string | null,
  now: Date,
  seedTeam: (tx: Db) => Promise<void> = () => Promise.resolve(),
): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const made = await tx
      .insert(teams)
      .values({
        id: DEVELOPMENT_TEAM_ID,
        name: "Development",
        betaAccess: true,
        maxConcurrentStreams: 0,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoNothing()
      .returning({ id: teams.id });
    await tx
      .insert(users)
      .values({
        id: DEVELOPMENT_USER_ID,
        teamId: DEVELOPMENT_TEAM_ID,
        nickname: "Developer",
        avatar: "",
        createdAt: now,
      })
      .onConflictDoNothing();
    // Held until the commit: of two instances that start together, the second finds the first one's work done.
    const missing = DEVELOPMENT_CREDIT_MICROS - (await lockCredit(tx, DEVELOPMENT_TEAM_ID, now));
    if (missing > 0) {
      const postings = { granted: -missing, credit: missing };
      const id = `grant:${newIdentifier()}`;
      await post(
        tx,
        { id, teamId: DEVELOPMENT_TEAM_ID, kind: "grant", note: "development credit", postings, mayOverdraw: false },
        now,
      );
    }
    if (made.length > 0) await seedTeam(tx);
    return key === null ? null : await seedKey(tx, key, now);
  });
}

async function seedKey(db: Db, key: string, now: Date): Promise<string | null> {
  const digest = sha256Hex(key);
  const [same] = await db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.digest, digest));
  const [earlier] = await db.select().from(apiKeys).where(eq(apiKeys.id, DEVELOPMENT_KEY_ID));
  // The operator chose a key that was made here before: what it may do stays as it was.
  if (same !== undefined && same.id !== DEVELOPMENT_KEY_ID) return null;
  const values = {
    name: "development key",
    prefix: apiKeyPrefix(key),
    digest,
    scopes: [EVERY_SCOPE],
    expiresAt: null,
    revokedAt: null,
  };
  await db
    .insert(apiKeys)
    .values({
      id: DEVELOPMENT_KEY_ID,
      teamId: DEVELOPMENT_TEAM_ID,
      userId: DEVELOPMENT_USER_ID,
      createdAt: now,
      ...values,
    })
    .onConflictDoUpdate({ target: apiKeys.id, set: values });
  return earlier !== undefined && earlier.digest !== digest ? earlier.digest : null;
}
