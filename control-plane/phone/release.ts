import { and, eq, isNull, lte, or } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { PhoneContext } from "./context.js";
import { removeNumber } from "./gateway/place-number.js";
import { providerNameOf, requireProvider, toProviderError } from "./provider-of.js";
import { WORK_MS } from "./reserve.js";
import { type PhoneRow, phoneNumbers } from "./tables.js";

/**
 * Releases a number: gives it back to its provider, then deletes the row. One that the provider does not take back stays
 * live. Throws `conflict` for one that is being set up or released, `phone_provider_missing` and
 * `phone_provider_failed`.
 */
export async function releaseNumber(context: PhoneContext, row: PhoneRow): Promise<void> {
  const { db } = context;
  if (row.status === "error") {
    await db.delete(phoneNumbers).where(and(eq(phoneNumbers.id, row.id), eq(phoneNumbers.status, "error")));
    return;
  }
  requireProvider(context.providers, providerNameOf(row));
  const now = context.now();
  const isFree = or(isNull(phoneNumbers.step), and(eq(phoneNumbers.step, "releasing"), lte(phoneNumbers.dueAt, now)));
  const [taken] = await db
    .update(phoneNumbers)
    .set({ step: "releasing", dueAt: new Date(now.getTime() + WORK_MS), updatedAt: now })
    .where(and(eq(phoneNumbers.id, row.id), eq(phoneNumbers.status, "active"), isFree))
    .returning();
  if (taken === undefined) {
    const detail = "The number is being set up or released; release it when that is over";
    throw new ServiceError("conflict", { parameters: { detail } });
  }
  await finishRelease(context, taken);
}

/** Goes on with a release that was begun, by this process or by one that died. Throws as `releaseNumber` does. */
export async function finishRelease(context: PhoneContext, row: PhoneRow): Promise<void> {
  const { db } = context;
  const own = and(eq(phoneNumbers.id, row.id), eq(phoneNumbers.step, "releasing"));
  const provider = requireProvider(context.providers, providerNameOf(row));
  try {
    await provider.release(row);
  } catch (error) {
    await db.update(phoneNumbers).set({ step: null, dueAt: null, updatedAt: context.now() }).where(own);
    throw toProviderError(provider, error);
  }
  await db.delete(phoneNumbers).where(own);
  if (context.sip === null || providerNameOf(row) === "sip") return;
  // No call comes to it any more; what cannot be taken away now, the next comparison takes away.
  await removeNumber(context, context.sip, row).catch((error: unknown) => {
    context.log.warn({ err: error, phone: row.id }, "LiveKit SIP still has a number that was released");
  });
}
