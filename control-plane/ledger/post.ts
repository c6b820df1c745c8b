import { and, eq, sql } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { Records } from "../database/database.js";
import { ledgerAccounts, ledgerEntries, ledgerPostings } from "../database/schema.js";
import { type AccountKind, openAccounts } from "./accounts.js";

export interface Entry {
  /** Names the event: the same id is booked once, whoever brings it and however often. */
  id: string;
  teamId: string;
  kind: (typeof ledgerEntries.$inferSelect)["kind"];
  note: string;
  /** What each account gains, in whole millionths; sums to 0. */
  postings: Partial<Record<AccountKind, number>>;
  /** Whether the entry may leave the team with less than nothing: true for usage, which has already happened. */
  mayOverdraw: boolean;
}

/** What booking did: the team's spendable credit before and after. `repeated`: the entry was booked before and nothing changed. */
export interface Booking {
  repeated: boolean;
  creditBefore: number;
  creditAfter: number;
}

/** Whether edges must ask again about the team's keys: paid models are refused on one side of 0 and served on the other. */
export function crossedZero({ creditBefore, creditAfter }: Booking): boolean {
  return creditBefore > 0 !== creditAfter > 0;
}

/**
 * Books one entry inside the transaction `step`. Entries of one team are booked one after another, those of different teams side by side.
 * Throws `out_of_credit` when the entry would take credit that is not there; whoever then rolls back leaves no trace of it.
 */
export async function post(step: Records, entry: Entry, now: Date): Promise<Booking> {
  const moves = (Object.entries(entry.postings) as [AccountKind, number][]).filter(([, amount]) => amount !== 0);
  assertBalanced(moves);
  const creditBefore = await lockCredit(step, entry.teamId, now);
  const inserted = await step
    .insert(ledgerEntries)
    .values({ id: entry.id, teamId: entry.teamId, kind: entry.kind, note: entry.note, occurredAt: now })
    .onConflictDoNothing()
    .returning({ id: ledgerEntries.id });
  if (inserted.length === 0) return { repeated: true, creditBefore, creditAfter: creditBefore };
  const taken = entry.postings.credit ?? 0;
  if (taken < 0 && creditBefore + taken < 0 && !entry.mayOverdraw) throw new ServiceError("out_of_credit");
  if (moves.length > 0) await step.insert(ledgerPostings).values(moves.map(([kind, amountMicros]) => ({ entryId: entry.id, teamId: entry.teamId, kind, amountMicros })));
  for (const [kind, amount] of moves) {
    await step
      .update(ledgerAccounts)
      .set({ balanceMicros: sql`${ledgerAccounts.balanceMicros} + ${amount}`, updatedAt: now })
      .where(and(eq(ledgerAccounts.teamId, entry.teamId), eq(ledgerAccounts.kind, kind)));
  }
  return { repeated: false, creditBefore, creditAfter: creditBefore + taken };
}

/** Takes the team's turn, until the end of the transaction, and gives its credit. */
export async function lockCredit(step: Records, teamId: string, now: Date): Promise<number> {
  const read = async (): Promise<number | undefined> => {
    const [row] = await step
      .select({ balanceMicros: ledgerAccounts.balanceMicros })
      .from(ledgerAccounts)
      .where(and(eq(ledgerAccounts.teamId, teamId), eq(ledgerAccounts.kind, "credit")))
      .for("no key update");
    return row?.balanceMicros;
  };
  const known = await read();
  if (known !== undefined) return known;
  await openAccounts(step, teamId, now);
  return (await read()) ?? 0;
}

function assertBalanced(moves: readonly [AccountKind, number][]): void {
  const sum = moves.reduce((total, [, amount]) => total + amount, 0);
  if (sum !== 0 || moves.some(([, amount]) => !Number.isSafeInteger(amount))) throw new RangeError("a ledger entry does not balance");
}
