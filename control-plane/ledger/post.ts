import { and, eq, sql } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
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

/**
 * What booking did: the team's spendable credit before and after. `repeated`: the entry was booked before and nothing
 * changed.
 */
export interface Booking {
  repeated: boolean;
  creditBefore: number;
  creditAfter: number;
}

/**
 * Whether edges must ask again about the team's keys: paid models are refused on one side of 0 and served on the other.
 */
export function crossedZero({ creditBefore, creditAfter }: Booking): boolean {
  return creditBefore > 0 !== creditAfter > 0;
}

/**
 * Books one entry inside the transaction `step`. Entries of one team are booked one after another, those of different
 * teams side by side. Throws `out_of_credit` when the entry would take credit that is not there; whoever then rolls
 * back leaves no trace of it.
 */
export async function post(tx: Db, entry: Entry, now: Date): Promise<Booking> {
  assertBalanced(movesOf(entry.postings));
  const creditBefore = await lockCredit(tx, entry.teamId, now);
  const inserted = await tx
    .insert(ledgerEntries)
    .values({ id: entry.id, teamId: entry.teamId, kind: entry.kind, note: entry.note, occurredAt: now })
    .onConflictDoNothing()
    .returning({ id: ledgerEntries.id });
  if (inserted.length === 0) return { repeated: true, creditBefore, creditAfter: creditBefore };
  const taken = entry.postings.credit ?? 0;
  if (taken < 0 && creditBefore + taken < 0 && !entry.mayOverdraw) throw new ServiceError("out_of_credit");
  await move(tx, [entry], now);
  return { repeated: false, creditBefore, creditAfter: creditBefore + taken };
}

/** A charge for usage, which has already happened: it may leave the team with less than nothing. */
export interface Charge {
  /** As `Entry.id`. */
  id: string;
  note: string;
  /** More than 0. */
  costMicros: number;
}

/** Books charges of one team as `post` does, in as many statements for a hundred as for one. */
export async function postCharges(tx: Db, teamId: string, charges: readonly Charge[], now: Date): Promise<Booking> {
  const entries = charges.map(
    ({ id, note, costMicros }): Entry => ({
      id,
      teamId,
      kind: "usage",
      note,
      postings: { credit: -costMicros, spent: costMicros },
      mayOverdraw: true,
    }),
  );
  for (const { postings } of entries) assertBalanced(movesOf(postings));
  const creditBefore = await lockCredit(tx, teamId, now);
  const inserted = await tx
    .insert(ledgerEntries)
    .values(entries.map(({ id, kind, note }) => ({ id, teamId, kind, note, occurredAt: now })))
    .onConflictDoNothing()
    .returning({ id: ledgerEntries.id });
  const isNew = new Set(inserted.map(({ id }) => id));
  const booked = entries.filter(({ id }) => isNew.has(id));
  await move(tx, booked, now);
  const taken = booked.reduce((sum, { postings }) => sum + (postings.credit ?? 0), 0);
  return { repeated: booked.length === 0, creditBefore, creditAfter: creditBefore + taken };
}

const movesOf = (postings: Entry["postings"]): [AccountKind, number][] =>
  (Object.entries(postings) as [AccountKind, number][]).filter(([, amount]) => amount !== 0);

/** Writes what entries of one team move, and the balances after all of them. */
async function move(tx: Db, entries: readonly Entry[], now: Date): Promise<void> {
  const moves = entries.flatMap(({ id, teamId, postings }) =>
    movesOf(postings).map(([kind, amountMicros]) => ({ entryId: id, teamId, kind, amountMicros })),
  );
  if (moves.length === 0) return;
  await tx.insert(ledgerPostings).values(moves);
  const sums = new Map<AccountKind, number>();
  for (const { kind, amountMicros } of moves) sums.set(kind, (sums.get(kind) ?? 0) + amountMicros);
  for (const [kind, amount] of sums) {
    await tx
      .update(ledgerAccounts)
      .set({ balanceMicros: sql`${ledgerAccounts.balanceMicros} + ${amount}`, updatedAt: now })
      .where(and(eq(ledgerAccounts.teamId, moves[0]?.teamId ?? ""), eq(ledgerAccounts.kind, kind)));
  }
}

/** Takes the team's turn, until the end of the transaction, and gives its credit. */
export async function lockCredit(tx: Db, teamId: string, now: Date): Promise<number> {
  const read = async (): Promise<number | undefined> => {
    const [row] = await tx
      .select({ balanceMicros: ledgerAccounts.balanceMicros })
      .from(ledgerAccounts)
      .where(and(eq(ledgerAccounts.teamId, teamId), eq(ledgerAccounts.kind, "credit")))
      .for("no key update");
    return row?.balanceMicros;
  };
  const known = await read();
  if (known !== undefined) return known;
  await openAccounts(tx, teamId, now);
  return (await read()) ?? 0;
}

function assertBalanced(moves: readonly [AccountKind, number][]): void {
  const sum = moves.reduce((total, [, amount]) => total + amount, 0);
  if (sum !== 0 || moves.some(([, amount]) => !Number.isSafeInteger(amount)))
    throw new RangeError("a ledger entry does not balance");
}
