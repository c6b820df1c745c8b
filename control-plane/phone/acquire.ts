import { and, eq } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { settleHold } from "../ledger/holds.js";
import type { Booking } from "../ledger/post.js";
import type { PhoneContext } from "./context.js";
import { providerNameOf, requireProvider, toProviderError } from "./provider-of.js";
import { type AcquireEffort, ProviderFailure } from "./providers/provider.js";
import { announceCredit, firstDayOf } from "./reserve.js";
import { type PhoneRow, phoneNumbers } from "./tables.js";

/** After a provider gave no answer: what it may still be doing has come to its end by then. */
const CHECK_MS = 60_000;

export const DAY_MS = 24 * 3_600_000;

/**
 * Goes on with a number that is being set up, from wherever it is: gets it from its provider, then charges the first day
 * that is held; or gives the charge back where the provider did not do it. Where nobody knows whether it did, the number
 * is looked for later. Any number of processes may do this for one number, one after another or at once: the provider
 * gives it once, and the hold is settled once. Throws `phone_provider_missing` and `phone_provider_failed`.
 */
export async function acquireNumber(context: PhoneContext, row: PhoneRow, effort: AcquireEffort): Promise<PhoneRow> {
  const provider = requireProvider(context.providers, providerNameOf(row));
  let providerId: string | null;
  try {
    providerId = await provider.acquire(row, effort);
  } catch (error) {
    if (error instanceof ProviderFailure) {
      const { label } = provider;
      const message = `${label} could not do this: ${error.detail}`;
      if (error.isFinal) await giveUp(context, row, message, provider.dayMicros);
      else await checkLater(context, row, message);
    }
    throw toProviderError(provider, error);
  }
  return await activate(context, row, providerId, provider.dayMicros);
}

/** Books what came of the attempt and changes the row, both or neither; another one may have done so before. */
async function conclude(
  context: PhoneContext,
  { id, attempt }: PhoneRow,
  outcome: { spentMicros: number; dayMicros: number; values: Partial<PhoneRow> },
): Promise<PhoneRow> {
  const { db, bus } = context;
  const now = context.now();
  const work = async (tx: Db): Promise<{ row: PhoneRow | undefined; booking: Booking | null }> => {
    const [row] = await tx.select().from(phoneNumbers).where(eq(phoneNumbers.id, id)).for("update");
    if (row?.attempt !== attempt || row.status !== "provisioning") return { row, booking: null };
    const { dayMicros, spentMicros, values } = outcome;
    const [changed] = await tx
      .update(phoneNumbers)
      .set({ ...values, step: null, dueAt: null, updatedAt: now })
      .where(eq(phoneNumbers.id, id))
      .returning();
    const booking = dayMicros === 0 ? null : await settleHold(tx, firstDayOf(row), spentMicros, now);
    return { row: changed, booking };
  };
  const { row, booking } = await db.transaction(work);
  if (row === undefined) throw new ServiceError("not_found");
  if (booking !== null) await announceCredit({ db, bus }, row.teamId, booking);
  return row;
}

function activate(
  context: PhoneContext,
  row: PhoneRow,
  providerId: string | null,
  dayMicros: number,
): Promise<PhoneRow> {
  const rentedUntil = dayMicros === 0 ? null : new Date(context.now().getTime() + DAY_MS);
  const values = { status: "active", statusDetail: "", providerId, rentedUntil } as const;
  return conclude(context, row, { spentMicros: dayMicros, dayMicros, values });
}

async function giveUp(context: PhoneContext, row: PhoneRow, statusDetail: string, dayMicros: number): Promise<void> {
  await conclude(context, row, { spentMicros: 0, dayMicros, values: { status: "error", statusDetail } });
}

async function checkLater({ db, now }: PhoneContext, { id, attempt }: PhoneRow, message: string): Promise<void> {
  const at = now();
  const statusDetail = `${message}. Whether it has the number is being found out`;
  await db
    .update(phoneNumbers)
    .set({ step: "checking", dueAt: new Date(at.getTime() + CHECK_MS), statusDetail, updatedAt: at })
    .where(and(eq(phoneNumbers.id, id), eq(phoneNumbers.attempt, attempt), eq(phoneNumbers.status, "provisioning")));
}
