import { and, asc, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { creditHolds } from "../database/schema.js";
import { type Booking, crossedZero, lockCredit, post } from "./post.js";

export interface Hold {
  /** Chosen by whoever asks: the same hold is made once. */
  id: string;
  teamId: string;
  /** Millionths of a credit, above 0. */
  micros: number;
  /** For people to read. */
  purpose: string;
  /**
   * When the amount returns to the team by itself, should nobody settle it: later than any use may last. Null or absent
   * is never.
   */
  expiresAt?: Date | null;
}

/**
 * Sets credit aside for what is about to be used. Making the same hold again, by id, is harmless. Throws
 * `out_of_credit` when the team has not that much left: then nothing has happened. However many ask at once, the sum of
 * what is held never exceeds what was there. Throws `conflict` when the id stands for another team's or another
 * amount's hold.
 */
export async function holdCredit(db: Db, hold: Hold, now: Date): Promise<Booking> {
  const { id, teamId, micros, purpose } = hold;
  return await db.transaction(async (tx) => {
    const postings = { credit: -micros, held: micros };
    const booking = await post(
      tx,
      { id: `hold:${id}`, teamId, kind: "hold", note: purpose, postings, mayOverdraw: false },
      now,
    );
    if (booking.repeated) {
      const [known] = await tx.select().from(creditHolds).where(eq(creditHolds.id, id));
      if (known?.teamId !== teamId || known.amountMicros !== micros)
        throw conflict("This hold was made for something else");
      return booking;
    }
    await tx
      .insert(creditHolds)
      .values({ id, teamId, purpose, amountMicros: micros, createdAt: now, expiresAt: hold.expiresAt ?? null });
    return booking;
  });
}

/**
 * Ends a hold by what it came to: `micros` are spent and the rest is the team's again; 0 releases it whole. What
 * exceeds the hold is taken from the team's credit, below 0 if need be: it has been used. So is all of it where the
 * hold had expired: its amount is the team's again and may be spent. What is left tells whoever asks (`creditAfter`).
 * Ending it again in the same way is harmless. Throws `not_found` for an unknown hold and `conflict` for one that came
 * to something else.
 */
export async function settleHold(db: Db, id: string, micros: number, now: Date): Promise<Booking> {
  return await db.transaction(async (tx) => {
    const [found] = await tx.select({ teamId: creditHolds.teamId }).from(creditHolds).where(eq(creditHolds.id, id));
    if (found === undefined) throw new ServiceError("not_found");
    // The team's turn before the hold's row: the order in which everyone takes them.
    const credit = await lockCredit(tx, found.teamId, now);
    const [hold] = await tx.select().from(creditHolds).where(eq(creditHolds.id, id));
    if (hold === undefined) throw new ServiceError("not_found");
    if (hold.settledMicros !== null) {
      if (hold.settledMicros !== micros) throw conflict("This hold was settled by another amount");
      return { repeated: true, creditBefore: credit, creditAfter: credit };
    }
    await tx.update(creditHolds).set({ settledMicros: micros, closedAt: now }).where(eq(creditHolds.id, id));
    const { teamId, purpose } = hold;
    const heldMicros = hold.expiredAt === null ? hold.amountMicros : 0;
    const postings = { held: -heldMicros, spent: micros, credit: heldMicros - micros };
    const kind = micros === 0 ? "release" : "settlement";
    return await post(tx, { id: `settle:${id}`, teamId, kind, note: purpose, postings, mayOverdraw: true }, now);
  });
}

/** Holds read at once. */
const EXPIRE_AT_ONCE = 100;

export interface ExpiredHolds {
  /** Teams whose credit came back above 0: edges must ask about their keys again. */
  revived: string[];
  /** Why some could not be ended; the next look tries them again. */
  failures: unknown[];
}

/**
 * Gives back everything that is held longer than it was meant to be. Several instances may look at once: each hold
 * returns once.
 */
export async function expireHolds(db: Db, now: Date, atOnce = EXPIRE_AT_ONCE): Promise<ExpiredHolds> {
  const [revived, failures] = [new Set<string>(), [] as unknown[]];
  const { id, teamId, expiresAt, closedAt } = creditHolds;
  for (let after: { expiresAt: Date | null; id: string } | null = null; ; ) {
    // From where the last ones ended, so that one that cannot be ended does not come up again and again.
    const further: SQL | undefined =
      after === null
        ? undefined
        : sql`(${expiresAt}, ${id}) > (${after.expiresAt?.toISOString()}::timestamptz, ${after.id})`;
    const due: { id: string; teamId: string; expiresAt: Date | null }[] = await db
      .select({ id, teamId, expiresAt })
      .from(creditHolds)
      .where(and(isNull(closedAt), lte(expiresAt, now), further))
      .orderBy(asc(expiresAt), asc(id))
      .limit(atOnce);
    for (const hold of due) {
      try {
        const booking = await db.transaction((tx) => expireHold(tx, hold.id, hold.teamId, now));
        if (booking !== null && crossedZero(booking)) revived.add(hold.teamId);
      } catch (error) {
        failures.push(error);
      }
    }
    after = due.at(-1) ?? null;
    if (due.length < atOnce || after === null) return { revived: [...revived], failures };
  }
}

/** Null for one that was ended meanwhile. */
async function expireHold(tx: Db, id: string, teamId: string, now: Date): Promise<Booking | null> {
  await lockCredit(tx, teamId, now);
  const [hold] = await tx.select().from(creditHolds).where(eq(creditHolds.id, id));
  if (hold === undefined || hold.closedAt !== null) return null;
  await tx.update(creditHolds).set({ closedAt: now, expiredAt: now }).where(eq(creditHolds.id, id));
  const postings = { held: -hold.amountMicros, credit: hold.amountMicros };
  return await post(
    tx,
    { id: `expire:${id}`, teamId, kind: "release", note: hold.purpose, postings, mayOverdraw: false },
    now,
  );
}

function conflict(detail: string): ServiceError {
  return new ServiceError("conflict", { parameters: { detail } });
}
