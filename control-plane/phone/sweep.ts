import { and, asc, eq, lte } from "drizzle-orm";
import type { Db } from "../database/database.js";
import { acquireNumber } from "./acquire.js";
import type { PhoneContext } from "./context.js";
import { finishRelease } from "./release.js";
import { chargeRent } from "./rent.js";
import { WORK_MS } from "./reserve.js";
import { type PhoneRow, phoneNumbers } from "./tables.js";

/** Numbers taken up in one sweep; the rest is due at the next one. */
const AT_ONCE = 20;

/**
 * Goes on with every number that somebody began to set up or to release and did not finish, and charges rent that is
 * due. Everything is in the database: an instance that starts goes on where another one was killed. Gives the failures;
 * what failed is due again.
 */
export async function sweepPhones(context: PhoneContext): Promise<unknown[]> {
  const due = await context.db
    .select()
    .from(phoneNumbers)
    .where(lte(phoneNumbers.dueAt, context.now()))
    .orderBy(asc(phoneNumbers.dueAt))
    .limit(AT_ONCE);
  // Side by side: a provider that does not answer must not hold up the others.
  const outcomes = await Promise.allSettled(due.map((row) => goOn(context, row)));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  return [...failures, ...(await chargeRent(context)).failures];
}

async function goOn(context: PhoneContext, read: PhoneRow): Promise<void> {
  const { db, now } = context;
  const [row] = await db
    .update(phoneNumbers)
    .set({ dueAt: new Date(now().getTime() + WORK_MS) })
    .where(and(eq(phoneNumbers.id, read.id), eq(phoneNumbers.dueAt, read.dueAt ?? now())))
    .returning();
  // Another instance has taken it up.
  if (row === undefined) return;
  if (row.step === "releasing") await finishRelease(context, row);
  else await acquireNumber(context, row, row.step === "checking" ? "look" : "resume");
}

/**
 * Makes due what an earlier life of this process was working at. Only for whoever has the database alone. What is being
 * found out keeps its time: the provider, not this process, may still be at it.
 */
export async function reclaimPhones(db: Db, now: Date): Promise<void> {
  for (const step of ["acquiring", "releasing"] as const)
    await db.update(phoneNumbers).set({ dueAt: now }).where(eq(phoneNumbers.step, step));
}
