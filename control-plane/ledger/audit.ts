import { sql } from "drizzle-orm";
import type { Db } from "../database/database.js";
import { creditHolds, ledgerAccounts, ledgerPostings } from "../database/schema.js";

/**
 * Proves the books from their parts; gives one line for each thing that is not as it must be, none when all is well.
 */
export async function auditLedger(db: Db): Promise<string[]> {
  // One snapshot for all questions, or entries booked in between would look like differences.
  return await db.transaction(
    async (tx) => {
      const unbalanced = await tx
        .select({ entryId: ledgerPostings.entryId })
        .from(ledgerPostings)
        .groupBy(ledgerPostings.entryId)
        .having(sql`sum(${ledgerPostings.amountMicros}) <> 0`);
      const posted = tx
        .select({
          teamId: ledgerPostings.teamId,
          kind: ledgerPostings.kind,
          sum: sql<number>`sum(${ledgerPostings.amountMicros})`.as("sum"),
        })
        .from(ledgerPostings)
        .groupBy(ledgerPostings.teamId, ledgerPostings.kind)
        .as("posted");
      const drifted = await tx
        .select({ teamId: ledgerAccounts.teamId, kind: ledgerAccounts.kind })
        .from(ledgerAccounts)
        .leftJoin(posted, sql`${posted.teamId} = ${ledgerAccounts.teamId} AND ${posted.kind} = ${ledgerAccounts.kind}`)
        .where(sql`${ledgerAccounts.balanceMicros} <> coalesce(${posted.sum}, 0)`);
      const open = tx
        .select({ teamId: creditHolds.teamId, sum: sql<number>`sum(${creditHolds.amountMicros})`.as("open_sum") })
        .from(creditHolds)
        .where(sql`${creditHolds.closedAt} IS NULL`)
        .groupBy(creditHolds.teamId)
        .as("open");
      const misheld = await tx
        .select({ teamId: ledgerAccounts.teamId })
        .from(ledgerAccounts)
        .leftJoin(open, sql`${open.teamId} = ${ledgerAccounts.teamId}`)
        .where(sql`${ledgerAccounts.kind} = 'held' AND ${ledgerAccounts.balanceMicros} <> coalesce(${open.sum}, 0)`);
      return [
        ...unbalanced.map(({ entryId }) => `entry ${entryId} does not sum to 0`),
        ...drifted.map(({ teamId, kind }) => `account ${kind} of team ${teamId} is not the sum of its postings`),
        ...misheld.map(({ teamId }) => `what team ${teamId} holds is not the sum of its open holds`),
      ];
    },
    { isolationLevel: "repeatable read" },
  );
}
