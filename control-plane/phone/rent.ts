import { and, asc, eq, isNull, lte } from "drizzle-orm";
import { PHONE_NUMBER_DAY } from "../accounts/prices.js";
import type { Db } from "../database/database.js";
import type { Booking } from "../ledger/post.js";
import { postCharges } from "../ledger/post.js";
import { DAY_MS } from "./acquire.js";
import type { PhoneContext } from "./context.js";
import { announceCredit } from "./reserve.js";
import { type PhoneRow, phoneNumbers } from "./tables.js";

/** Numbers read at once, and days booked at once for one of them. */
const AT_ONCE = 100;

/** The days of rent that are due: the beginning of each, and until when rent is paid then. Each day is named once. */
export function dueDays(rentedUntil: Date, now: Date, atOnce = AT_ONCE): { begins: Date[]; rentedUntil: Date } {
  const begins: Date[] = [];
  let until = rentedUntil;
  while (until <= now && begins.length < atOnce) {
    begins.push(until);
    until = new Date(until.getTime() + DAY_MS);
  }
  return { begins, rentedUntil: until };
}

/**
 * Charges every day of rent that has begun. Several instances may do so at once, and one may die in the middle: each day
 * is booked once. Gives how many numbers were charged, and the failures; what failed is due the next time.
 */
export async function chargeRent(context: PhoneContext): Promise<{ charged: number; failures: unknown[] }> {
  const { db } = context;
  const due = await db
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(isDue(context.now()))
    .orderBy(asc(phoneNumbers.rentedUntil))
    .limit(AT_ONCE);
  const failures: unknown[] = [];
  let charged = 0;
  for (const { id } of due) {
    try {
      if (await chargeNumber(context, id)) charged++;
    } catch (error) {
      failures.push(error);
    }
  }
  return { charged, failures };
}

/** Rent of a number that is being released waits for what comes of that. */
const isDue = (now: Date) =>
  and(lte(phoneNumbers.rentedUntil, now), eq(phoneNumbers.status, "active"), isNull(phoneNumbers.step));

async function chargeNumber(context: PhoneContext, id: string): Promise<boolean> {
  const { db, bus } = context;
  const now = context.now();
  const work = async (tx: Db): Promise<{ row: PhoneRow; booking: Booking } | null> => {
    const [row] = await tx
      .select()
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.id, id), isDue(now)))
      .for("update");
    // Another instance has charged it, or it was released.
    if (row === undefined || row.rentedUntil === null) return null;
    const { begins, rentedUntil } = dueDays(row.rentedUntil, now);
    const charges = begins.map((day) => ({
      id: `phone-rent:${id}:${day.toISOString()}`,
      note: `phone number ${id} from ${day.toISOString()}`,
      costMicros: PHONE_NUMBER_DAY,
    }));
    await tx.update(phoneNumbers).set({ rentedUntil }).where(eq(phoneNumbers.id, id));
    return { row, booking: await postCharges(tx, row.teamId, charges, now) };
  };
  const done = await db.transaction(work);
  if (done === null) return false;
  await announceCredit({ db, bus }, done.row.teamId, done.booking);
  return true;
}
