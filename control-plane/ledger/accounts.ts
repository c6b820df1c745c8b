import { eq } from "drizzle-orm";
import type { Db } from "../database/database.js";
import { ledgerAccounts } from "../database/schema.js";

/**
 * Every team has four accounts, and each movement takes from one what it gives to another, so that they always sum to
 * 0:
 *
 *     granted ──grant──► credit ──usage──► spent
 *     (negative: all      │  ▲               ▲
 *      ever given)      hold │ release       │ settlement
 *                         ▼  │               │
 *                         held ──────────────┘
 *
 * `credit` is what may be spent now. Only usage, which is known after the call, may take it below 0; nothing that is
 * charged up front can.
 */
const accountKinds = ["credit", "held", "granted", "spent"] as const;
export type AccountKind = (typeof accountKinds)[number];

/** Balances of a team's accounts, in millionths of a credit. */
export type Balances = Readonly<Record<AccountKind, number>>;

/** Makes a team's accounts; harmless when they exist. */
export async function openAccounts(db: Db, teamId: string, now: Date): Promise<void> {
  await db
    .insert(ledgerAccounts)
    .values(accountKinds.map((kind) => ({ teamId, kind, balanceMicros: 0, updatedAt: now })))
    .onConflictDoNothing();
}

/** A team's balances and when they last changed; all 0 for a team that has no accounts yet. */
export async function readBalances(db: Db, teamId: string): Promise<Balances & { updatedAt: Date | null }> {
  const rows = await db.select().from(ledgerAccounts).where(eq(ledgerAccounts.teamId, teamId));
  const balanceOf = (kind: AccountKind): number => rows.find((row) => row.kind === kind)?.balanceMicros ?? 0;
  const changed = rows.map((row) => row.updatedAt).sort((a, b) => b.getTime() - a.getTime())[0];
  return {
    credit: balanceOf("credit"),
    held: balanceOf("held"),
    granted: balanceOf("granted"),
    spent: balanceOf("spent"),
    updatedAt: changed ?? null,
  };
}
