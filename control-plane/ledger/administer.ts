import { and, desc, eq } from "drizzle-orm";
import { z } from "zod";
import { validate } from "#common/http/validation";
import type { CreditEntry, CreditReply } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { creditText, parseCredit } from "../accounts/prices.js";
import type { Db } from "../database/database.js";
import { ledgerEntries, ledgerPostings, teams } from "../database/schema.js";
import { readBalances } from "./accounts.js";
import { auditLedger } from "./audit.js";
import { grantCredit } from "./grant.js";
import { crossedZero } from "./post.js";

/** Entries that `show` gives. */
const SHOWN_ENTRIES = 20;

const amount = z
  .string()
  .refine((text) => (parseCredit(text) ?? 0) !== 0, { message: "Input should be a decimal other than 0" });
const plain = z
  .string()
  .refine((text) => !text.includes("\u0000"), { message: "Input should not contain NUL characters" });

const creditRequest = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("grant"),
    grantId: plain.min(1).max(128),
    teamId: z.string(),
    amount,
    note: plain.max(256),
  }),
  z.object({ action: z.literal("show"), teamId: z.string() }),
  z.object({ action: z.literal("audit") }),
]);

/** What credit administration did, and whose remembered keys are void. */
export interface CreditResult {
  reply: CreditReply;
  changedTeamId: string | null;
}

/**
 * Carries out one request of credit administration. Throws `validation` for a malformed request, `not_found` for an
 * unknown team and `out_of_credit` where more is to be taken back than is left.
 */
export async function administerCredit(db: Db, stranger: unknown, now: Date): Promise<CreditResult> {
  const request = validate(creditRequest, stranger);
  if (request.action === "audit")
    return { reply: { balances: null, entries: [], findings: await auditLedger(db) }, changedTeamId: null };
  const { teamId } = request;
  const known = await db.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId));
  if (known.length === 0) throw new ServiceError("not_found");
  if (request.action === "show") return { reply: await describeCredit(db, teamId), changedTeamId: null };
  const booking = await grantCredit(
    db,
    { id: request.grantId, teamId, micros: parseCredit(request.amount) ?? 0, note: request.note },
    now,
  );
  return { reply: await describeCredit(db, teamId), changedTeamId: crossedZero(booking) ? teamId : null };
}

async function describeCredit(db: Db, teamId: string): Promise<CreditReply> {
  const { credit, held, granted, spent } = await readBalances(db, teamId);
  const balances = {
    teamId,
    credit: creditText(credit),
    held: creditText(held),
    granted: creditText(Math.abs(granted)),
    spent: creditText(spent),
  };
  return { balances, entries: await newestEntries(db, teamId), findings: [] };
}

async function newestEntries(db: Db, teamId: string): Promise<CreditEntry[]> {
  const rows = await db
    .select({ entry: ledgerEntries, amountMicros: ledgerPostings.amountMicros })
    .from(ledgerEntries)
    .leftJoin(ledgerPostings, and(eq(ledgerPostings.entryId, ledgerEntries.id), eq(ledgerPostings.kind, "credit")))
    .where(eq(ledgerEntries.teamId, teamId))
    .orderBy(desc(ledgerEntries.occurredAt), desc(ledgerEntries.id))
    .limit(SHOWN_ENTRIES);
  return rows.map(({ entry, amountMicros }) => ({
    entryId: entry.id,
    kind: entry.kind,
    note: entry.note,
    amount: creditText(amountMicros ?? 0),
    occurredAtMs: entry.occurredAt.getTime(),
  }));
}
