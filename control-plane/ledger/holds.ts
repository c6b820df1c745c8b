import { eq } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { Records } from "../database/database.js";
import { creditHolds } from "../database/schema.js";
import { type Booking, lockCredit, post } from "./post.js";

export interface Hold {
  /** Chosen by whoever asks: the same hold is made once. */
  id: string;
  teamId: string;
  /** Millionths of a credit, above 0. */
  micros: number;
  /** For people to read. */
  purpose: string;
}

/**
 * Sets credit aside for what is about to be used. Making the same hold again, by id, is harmless.
 * Throws `out_of_credit` when the team has not that much left: then nothing has happened. However many ask at once, the sum of what is
 * held never exceeds what was there. Throws `conflict` when the id stands for another team's or another amount's hold.
 */
export async function holdCredit(records: Records, hold: Hold, now: Date): Promise<Booking> {
  const { id, teamId, micros, purpose } = hold;
  return await records.transaction(async (step) => {
    const postings = { credit: -micros, held: micros };
    const booking = await post(step, { id: `hold:${id}`, teamId, kind: "hold", note: purpose, postings, mayOverdraw: false }, now);
    if (booking.repeated) {
      const [known] = await step.select().from(creditHolds).where(eq(creditHolds.id, id));
      if (known?.teamId !== teamId || known.amountMicros !== micros) throw conflict("This hold was made for something else");
      return booking;
    }
    await step.insert(creditHolds).values({ id, teamId, purpose, amountMicros: micros, createdAt: now });
    return booking;
  });
}

/**
 * Ends a hold by what it came to: `micros` are spent and the rest is the team's again; 0 releases it whole. What exceeds the hold is taken
 * from the team's credit, below 0 if need be: it has been used. Ending it again in the same way is harmless.
 * Throws `not_found` for an unknown hold and `conflict` for one that came to something else.
 */
export async function settleHold(records: Records, id: string, micros: number, now: Date): Promise<Booking> {
  return await records.transaction(async (step) => {
    const [found] = await step.select({ teamId: creditHolds.teamId }).from(creditHolds).where(eq(creditHolds.id, id));
    if (found === undefined) throw new ServiceError("not_found");
    // The team's turn before the hold's row: the order in which everyone takes them.
    const credit = await lockCredit(step, found.teamId, now);
    const [hold] = await step.select().from(creditHolds).where(eq(creditHolds.id, id));
    if (hold === undefined) throw new ServiceError("not_found");
    if (hold.closedAt !== null) {
      if (hold.settledMicros !== micros) throw conflict("This hold was settled by another amount");
      return { repeated: true, creditBefore: credit, creditAfter: credit };
    }
    await step.update(creditHolds).set({ settledMicros: micros, closedAt: now }).where(eq(creditHolds.id, id));
    const { teamId, purpose, amountMicros } = hold;
    const postings = { held: -amountMicros, spent: micros, credit: amountMicros - micros };
    const kind = micros === 0 ? "release" : "settlement";
    return await post(step, { id: `settle:${id}`, teamId, kind, note: purpose, postings, mayOverdraw: true }, now);
  });
}

function conflict(detail: string): ServiceError {
  return new ServiceError("conflict", { parameters: { detail } });
}
