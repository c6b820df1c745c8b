import { eq } from "drizzle-orm";
import type { Db } from "#control-plane/database/database";
import { creditHolds, ledgerEntries } from "#control-plane/database/schema";
import { readBalances } from "#control-plane/ledger/accounts";
import { auditLedger } from "#control-plane/ledger/audit";
import { phoneNumbers } from "#control-plane/phone/tables";

/** What a team has, holds and spent, in days of rent. */
export async function daysOf(db: Db, teamId: string, dayMicros: number): Promise<{ held: number; spent: number }> {
  const { held, spent } = await readBalances(db, teamId);
  return { held: held / dayMicros, spent: spent / dayMicros };
}

/** What the rows, the ledger and the provider contradict each other in; empty when all is well. */
export async function findContradictions(
  db: Db,
  teamId: string,
  bought: readonly { phoneNumber: string; friendlyName: string }[],
): Promise<string[]> {
  const rows = await db.select().from(phoneNumbers).where(eq(phoneNumbers.teamId, teamId));
  const holds = await db.select().from(creditHolds).where(eq(creditHolds.teamId, teamId));
  const settled = await db.select().from(ledgerEntries).where(eq(ledgerEntries.teamId, teamId));
  const live = rows.filter(({ status }) => status === "active");
  const isBought = (number: string): boolean => bought.some(({ phoneNumber }) => phoneNumber === number);
  const spentHolds = holds.filter(({ settledMicros }) => (settledMicros ?? 0) > 0);
  const settlements = settled.filter(({ kind }) => kind === "settlement");
  return [
    ...(await auditLedger(db)),
    ...rows
      .filter(({ status }) => status === "provisioning")
      .map(({ phoneNumber }) => `${phoneNumber} is being set up`),
    ...rows.filter(({ step }) => step !== null).map(({ phoneNumber, step }) => `${phoneNumber} is ${step}`),
    ...holds.filter(({ closedAt }) => closedAt === null).map(({ id }) => `the hold ${id} is open`),
    ...live.filter((row) => !isBought(row.phoneNumber)).map((row) => `${row.phoneNumber} is live and not bought`),
    ...bought
      .filter(({ phoneNumber }) => !live.some((row) => row.phoneNumber === phoneNumber))
      .map(({ phoneNumber }) => `${phoneNumber} is bought without a live row`),
    ...(spentHolds.length === settlements.length ? [] : ["a hold was settled more or less than once"]),
  ];
}
