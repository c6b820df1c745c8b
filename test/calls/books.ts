import { eq, isNull, like } from "drizzle-orm";
import { conversationMicros } from "#control-plane/accounts/prices";
import type { Db } from "#control-plane/database/database";
import { creditHolds, ledgerEntries, usageRecords } from "#control-plane/database/schema";
import { auditLedger } from "#control-plane/ledger/audit";
import { agentSessions, type SessionRow } from "#control-plane/sessions/tables";

const MINUTE_MS = 60_000;

/**
 * What is not as it must be in the books once calls are over: each that was answered is charged once, its begun minutes
 * and no more; the others cost nothing; nothing is held any more, and the ledger adds up.
 */
export async function bookFaults(db: Db): Promise<string[]> {
  const rows = await db.select().from(agentSessions).where(eq(agentSessions.source, "phone"));
  const open = await db.select().from(creditHolds).where(isNull(creditHolds.closedAt));
  const faults = [...open.map(({ id }) => `the hold ${id} is open`), ...(await auditLedger(db))];
  if (rows.length === 0) faults.push("no call is known");
  for (const row of rows) faults.push(...(await faultsOf(db, row)).map((fault) => `call ${row.id}: ${fault}`));
  return faults;
}

async function faultsOf(db: Db, row: SessionRow): Promise<string[]> {
  const charge = conversationMicros(begunMs(row));
  // Whatever is booked or counted for a session bears its id.
  const entries = await db
    .select()
    .from(ledgerEntries)
    .where(like(ledgerEntries.id, `%${row.id}%`));
  const holds = await db
    .select()
    .from(creditHolds)
    .where(like(creditHolds.id, `%${row.id}%`));
  const usage = await db
    .select()
    .from(usageRecords)
    .where(like(usageRecords.usageId, `%${row.id}%`));
  const facts = {
    entries: entries.map(({ kind }) => kind).toSorted(),
    settled: holds.map(({ settledMicros }) => settledMicros),
    used: usage.map(({ costMicros }) => costMicros),
  };
  const wanted = {
    entries: ["hold", charge === 0 ? "release" : "settlement"],
    settled: [charge],
    used: row.startedAt === null ? [] : [charge],
  };
  const shown = JSON.stringify(facts);
  return shown === JSON.stringify(wanted) ? [] : [`${shown} instead of ${JSON.stringify(wanted)}`];
}

function begunMs({ startedAt, endedAt }: SessionRow): number {
  if (startedAt === null || endedAt === null) return 0;
  return Math.ceil((endedAt.getTime() - startedAt.getTime()) / MINUTE_MS) * MINUTE_MS;
}
