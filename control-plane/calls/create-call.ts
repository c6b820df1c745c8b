import { eq } from "drizzle-orm";
import type { PhoneCallCreate } from "#protocol/agents/phone-call";
import type { Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { teams } from "../database/schema.js";
import type { Booking } from "../ledger/post.js";
import { deleteRoom } from "../sessions/finish.js";
import { announceCredit, insertSession, newSession, withdrawSession } from "../sessions/new-session.js";
import { GIVE_MS, takeOver } from "../sessions/placement.js";
import type { SessionRow } from "../sessions/tables.js";
import { requireCallsLeft } from "./call-limits.js";
import type { CallContext } from "./context.js";
import { type JudgedCall, judgeCall } from "./judge-call.js";
import { plannedTransfers } from "./planned-transfers.js";
import { refusal, withReasons } from "./refusal.js";
import { answeredSession, claimKey, digestOf, type NamedRequest, storeKey } from "./request-keys.js";
import { phoneCalls } from "./tables.js";

/** A runtime is looked for so long, besides what the call may ring. */
const PLACING_MS = 90_000;

/**
 * Has a number called: judges the request, writes the call down as a session with credit held for the longest that it
 * may last, and gives it to a runtime, which dials. Once it is written down, whatever dies, somebody else goes on with
 * it. Gives the session's id; that of the first one where the request was answered before. Throws what `judgeCall`
 * throws, and with their reasons `idempotency_key_conflict`, `idempotency_key_reuse`, `daily_limit_exceeded`,
 * `concurrency_limit_exceeded`, `out_of_credit`.
 */
export async function createCall(
  context: CallContext,
  principal: Principal,
  key: string | null,
  body: PhoneCallCreate,
): Promise<string> {
  const { sessions, settings } = context;
  const { teamId } = principal;
  if (!principal.betaAccess) throw new ServiceError("private_beta");
  if (!settings.dialsOut) throw refusal("outbound_disabled");
  const request = key === null ? null : { teamId, key, bodyDigest: digestOf(body) };
  const answered = request === null ? null : await answeredSession(sessions.db, request, sessions.now());
  if (answered !== null) return answered;
  const judged = await judgeCall(context, teamId, body);
  const transfers = await plannedTransfers(context, judged.number, judged.config);
  const now = sessions.now();
  const row = newSession({
    ...{ agent: judged.agent, frozen: judged.frozen, config: judged.config },
    ...{ body: { ...body }, source: "phone", keyId: principal.keyId, now },
    joinMs: PLACING_MS + settings.ringMs,
    call: {
      ...{ callerNumber: judged.number.phoneNumber, dialedNumber: body.to_number, place: null },
      dial: { trunkId: judged.trunkId, ringMs: settings.ringMs },
      ...(transfers === undefined ? {} : { transfers }),
    },
  });
  const written = await write(context, judged, row, request);
  if (written !== row.id) return written;
  await place(context, judged, row);
  return row.id;
}

/** Gives the id of the session that stands for the request: this one, or that of an earlier one. */
async function write(
  { sessions }: CallContext,
  { number }: JudgedCall,
  row: SessionRow,
  request: NamedRequest | null,
): Promise<string> {
  const { id, teamId, createdAt: now } = row;
  const work = async (tx: Db): Promise<{ id: string; booking: Booking | null }> => {
    if (request !== null) {
      await claimKey(tx, request);
      const answered = await answeredSession(tx, request, now);
      if (answered !== null) return { id: answered, booking: null };
    }
    // Requests of one team take turns: the counts below would miss what another one is adding.
    await tx.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId)).for("no key update");
    await requireCallsLeft(tx, teamId, now);
    const booking = await insertSession(tx, row);
    await tx
      .insert(phoneCalls)
      .values({ sessionId: id, teamId, phoneNumberId: number.id, direction: "outbound", createdAt: now });
    if (request !== null) await storeKey(tx, request, id, now);
    return { id, booking };
  };
  const reasons = { out_of_credit: () => new ServiceError("out_of_credit", { reason: "insufficient_credit" }) };
  const written = await withReasons(reasons, () => sessions.db.transaction(work));
  if (written.booking !== null) await announceCredit(sessions, teamId, written.booking);
  return written.id;
}

/** Makes the room and finds a runtime. Without a room nothing is left; without a runtime one is looked for later. */
async function place({ sessions }: CallContext, { rooms }: JudgedCall, row: SessionRow): Promise<void> {
  try {
    await rooms.create({ name: row.plan.room.name, emptyMs: row.joinBy.getTime() - row.createdAt.getTime() + GIVE_MS });
  } catch (error) {
    await deleteRoom(sessions, row);
    await withdrawSession(sessions, row);
    throw error;
  }
  await takeOver(sessions, row).catch((error: unknown) =>
    sessions.log.warn({ err: error, session: row.id }, "a call has no runtime yet; one is looked for"),
  );
}
