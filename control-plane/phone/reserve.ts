import { and, count, eq, inArray, ne, sql } from "drizzle-orm";
import { newIdentifier } from "#common/identifier";
import { MAX_PHONE_NUMBERS, type PhoneImport, type PhonePurchase } from "#protocol/agents/phone";
import { ServiceError } from "#protocol/errors";
import { purgeKeys } from "../accounts/forget-keys.js";
import type { Db } from "../database/database.js";
import { teams } from "../database/schema.js";
import { holdCredit } from "../ledger/holds.js";
import { type Booking, crossedZero } from "../ledger/post.js";
import type { PhoneContext } from "./context.js";
import { requireProvider } from "./provider-of.js";
import { sealPasswords, withoutPasswords } from "./sip-secrets.js";
import { requireAgent } from "./store.js";
import { type PhoneRow, phoneNumbers } from "./tables.js";

/** How long whoever works at a number has it for itself; another one goes on after that. */
export const WORK_MS = 60_000;

/** Names the charge of the first day of one attempt to get a number. */
export const firstDayOf = ({ id, attempt }: Pick<PhoneRow, "id" | "attempt">): string => `phone:${id}:${attempt}`;

/** Any fixed number: sets these locks apart from others of the database. */
const NUMBER_LOCK = 7_262_754;

/** Held by a provider, or about to be. */
const isLive = inArray(phoneNumbers.status, ["provisioning", "active"]);

/**
 * Writes a number down as one that is being set up, together with the hold of its first day's price: whatever dies from
 * here on, the row says what is to be done. A number that failed before is taken up again under its id. Throws
 * `not_found` for an agent that the team does not have, `phone_number_taken`, `phone_number_limit`,
 * `phone_provider_missing` and `out_of_credit`; nothing is left then.
 */
export async function reserveNumber(
  context: Pick<PhoneContext, "db" | "bus" | "sealer" | "providers" | "now">,
  teamId: string,
  given: PhonePurchase | PhoneImport,
): Promise<PhoneRow> {
  const { db, bus, sealer, providers } = context;
  const now = context.now();
  const { row, booking } = await db.transaction(async (tx) => {
    // Requests of one team take turns: the count below would miss what another one is adding.
    await tx.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId)).for("no key update");
    await requireAgent(tx, teamId, given.agent_id);
    const row = await writeRow(tx, sealer, teamId, given, now);
    await requireRoom(tx, row);
    const { dayMicros } = requireProvider(providers, given.provider);
    const hold = { id: firstDayOf(row), teamId, micros: dayMicros, purpose: `first day of phone number ${row.id}` };
    return { row, booking: dayMicros === 0 ? null : await holdCredit(tx, hold, now) };
  });
  if (booking !== null) await announceCredit({ db, bus }, teamId, booking);
  return row;
}

/** Makes edges ask again where credit began or ceased to be there. */
export async function announceCredit(
  { db, bus }: Pick<PhoneContext, "db" | "bus">,
  teamId: string,
  booking: Booking,
): Promise<void> {
  if (crossedZero(booking)) await purgeKeys(bus, db, [teamId]);
}

async function writeRow(
  tx: Db,
  sealer: PhoneContext["sealer"],
  teamId: string,
  given: PhonePurchase | PhoneImport,
  now: Date,
): Promise<PhoneRow> {
  const { phone_number: phoneNumber, provider, label, agent_id: agentId } = given;
  // Requests of all teams for one number take turns: of two, the first one has it.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${phoneNumber}, ${NUMBER_LOCK}))`);
  const [held] = await tx
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.phoneNumber, phoneNumber), isLive));
  if (held !== undefined) throw new ServiceError("phone_number_taken");
  const own = and(eq(phoneNumbers.teamId, teamId), eq(phoneNumbers.phoneNumber, phoneNumber));
  const [failed] = await tx.select().from(phoneNumbers).where(own).for("update");
  const id = failed?.id ?? newIdentifier();
  const values = {
    ...({ provider, label, agentId, status: "provisioning", statusDetail: "", step: "acquiring" } as const),
    ...{ dueAt: new Date(now.getTime() + WORK_MS), attempt: (failed?.attempt ?? 0) + 1 },
    ...{ providerId: null, rentedUntil: null, updatedAt: now },
    sip: given.provider === "sip" ? withoutPasswords(given) : null,
    sipSecrets: given.provider === "sip" ? sealPasswords(sealer, id, given, {}) : {},
  };
  const written =
    failed === undefined
      ? await tx
          .insert(phoneNumbers)
          .values({ id, teamId, phoneNumber, createdAt: now, ...values })
          .returning()
      : await tx.update(phoneNumbers).set(values).where(eq(phoneNumbers.id, id)).returning();
  const [row] = written;
  if (row === undefined) throw new RangeError("a row that was written did not come back");
  return row;
}

async function requireRoom(tx: Db, { id, teamId }: PhoneRow): Promise<void> {
  const others = and(eq(phoneNumbers.teamId, teamId), isLive, ne(phoneNumbers.id, id));
  const [{ total } = { total: 0 }] = await tx.select({ total: count() }).from(phoneNumbers).where(others);
  if (total >= MAX_PHONE_NUMBERS)
    throw new ServiceError("phone_number_limit", { parameters: { limit: MAX_PHONE_NUMBERS } });
}
