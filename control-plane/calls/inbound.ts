import { and, eq, inArray, isNotNull, isNull, lt, lte } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import { findAgent } from "../agents/store.js";
import type { AgentRow } from "../agents/tables.js";
import type { Db } from "../database/database.js";
import type { Booking } from "../ledger/post.js";
import { type PhoneRow, phoneNumbers } from "../phone/tables.js";
import { type FrozenConfig, frozenConfig } from "../sessions/frozen-config.js";
import { announceCredit, insertSession, newSession } from "../sessions/new-session.js";
import { takeOver } from "../sessions/placement.js";
import { requireSpeech } from "../sessions/speech-capacity.js";
import { agentSessions, type SessionRow } from "../sessions/tables.js";
import type { CallContext } from "./context.js";
import { initialVariables } from "./conversation-init.js";
import { numberOfRoom, type PhoneLine, type PhoneLines } from "./lines.js";
import { plannedTransfers } from "./planned-transfers.js";
import { phoneCalls, phoneLines } from "./tables.js";

/** How long one process may take to make a session of a call; another one goes on after that. */
const CLAIM_MS = 15_000;
/** How long a caller hears it ring while there is no runtime. */
const JOIN_MS = 20_000;
/** How long a room is remembered whose call is over: longer than any call may last. */
const MEMORY_MS = 24 * 3_600_000;

/**
 * Takes a call that came in: makes a session of it, once, whoever else hears of it, and gives it to a runtime, which
 * answers. Whom nobody can answer is hung up on; where an agent should have answered, the session says why it did not.
 * `unseen`: nobody calls in the room yet, or any more.
 */
export async function takeLine(context: CallContext, lines: PhoneLines, room: string): Promise<"seen" | "unseen"> {
  const line = await lines.lineOf(room);
  if (line === null) return "unseen";
  const number = await numberOf(context, line);
  // Another installation's, on the same LiveKit server.
  if (number !== null && (await claim(context, room))) await answer(context, lines, { number, line });
  return "seen";
}

async function answer(
  context: CallContext,
  lines: PhoneLines,
  { number, line }: { number: PhoneRow; line: PhoneLine },
): Promise<void> {
  const { room } = line;
  const answering = await agentOf(context, number);
  if (answering === null) {
    context.sessions.log.warn({ number: number.id }, "a call came in that no published agent answers");
    return await lines.hangUp(room);
  }
  const row = await sessionOf(context, answering, { number, line });
  const refused = refusalOf(context, row);
  const written = await write(context, { number, room, row, refused });
  if (written === "taken") return await takeOver(context.sessions, row);
  if (written === "refused") await lines.hangUp(room);
}

/** Of these rooms those of our numbers that nobody has made sessions of yet. */
export async function untaken({ sessions }: CallContext, rooms: readonly string[]): Promise<string[]> {
  const numbers = [...new Set(rooms.flatMap((room) => numberOfRoom(room) ?? []))];
  if (numbers.length === 0) return [];
  const { db } = sessions;
  const own = await db.select({ id: phoneNumbers.id }).from(phoneNumbers).where(inArray(phoneNumbers.id, numbers));
  const known = await db
    .select({ room: phoneLines.room })
    .from(phoneLines)
    .where(and(inArray(phoneLines.room, [...rooms]), isNotNull(phoneLines.sessionId)));
  const [ownIds, taken] = [new Set(own.map(({ id }) => id)), new Set(known.map(({ room }) => room))];
  return rooms.filter((room) => ownIds.has(numberOfRoom(room) ?? "") && !taken.has(room));
}

/** Forgets rooms whose calls are long over. */
export async function forgetLines({ sessions }: CallContext): Promise<void> {
  const before = new Date(sessions.now().getTime() - MEMORY_MS);
  await sessions.db.delete(phoneLines).where(lt(phoneLines.createdAt, before));
}

async function numberOf({ sessions }: CallContext, { phoneNumberId }: PhoneLine): Promise<PhoneRow | null> {
  const [row] = await sessions.db.select().from(phoneNumbers).where(eq(phoneNumbers.id, phoneNumberId));
  return row ?? null;
}

async function claim({ sessions }: CallContext, room: string): Promise<boolean> {
  const now = sessions.now();
  const claimedUntil = new Date(now.getTime() + CLAIM_MS);
  const taken = await sessions.db
    .insert(phoneLines)
    .values({ room, claimedUntil, sessionId: null, createdAt: now })
    .onConflictDoUpdate({
      target: phoneLines.room,
      set: { claimedUntil },
      setWhere: and(isNull(phoneLines.sessionId), lte(phoneLines.claimedUntil, now)),
    })
    .returning({ room: phoneLines.room });
  return taken.length > 0;
}

interface Answering {
  agent: AgentRow;
  frozen: FrozenConfig;
}

/** Who answers a number; null where nobody does. */
async function agentOf({ sessions }: CallContext, { teamId, agentId, status }: PhoneRow): Promise<Answering | null> {
  if (status !== "active" || agentId === null) return null;
  try {
    const agent = await findAgent(sessions.db, teamId, agentId);
    return agent.status === "archived" ? null : { agent, frozen: await frozenConfig(sessions, agent, false) };
  } catch (error) {
    if (error instanceof ServiceError && ["not_found", "agent_not_published"].includes(error.code)) return null;
    throw error;
  }
}

async function sessionOf(
  context: CallContext,
  { agent, frozen }: Answering,
  { number, line }: { number: PhoneRow; line: PhoneLine },
): Promise<SessionRow> {
  const { sessions, outbound } = context;
  const { sealer, log, now } = sessions;
  const [variables, transfers] = await Promise.all([
    initialVariables({ outbound, sealer, log, now }, agent, frozen, line),
    plannedTransfers(context, number, frozen.config),
  ]);
  return newSession({
    ...{ agent, frozen, config: frozen.config, source: "phone", keyId: "", joinMs: JOIN_MS, now: now() },
    body: { agent_id: agent.id, dynamic_variables: variables },
    call: {
      ...{ callerNumber: line.callerNumber, dialedNumber: line.dialedNumber, dial: null },
      ...(transfers === undefined ? {} : { transfers }),
      place: { room: line.room, callerIdentity: line.identity },
    },
  });
}

/** Why nobody can answer now; null where somebody may. */
function refusalOf({ sessions }: CallContext, { plan }: SessionRow): string | null {
  try {
    requireSpeech(sessions.served, sessions.modelFolders, plan.config.voice.speaking_language);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

interface NewLine {
  number: PhoneRow;
  room: string;
  row: SessionRow;
  refused: string | null;
}

/** Writes the session down, with its hold where it is to take place; nothing where another process has done so. */
async function write({ sessions }: CallContext, line: NewLine): Promise<"taken" | "refused" | "known"> {
  const { row } = line;
  const work = async (tx: Db, refused: string | null): Promise<Booking | null> => {
    const taken = await tx
      .update(phoneLines)
      .set({ sessionId: row.id })
      .where(and(eq(phoneLines.room, line.room), isNull(phoneLines.sessionId)))
      .returning({ room: phoneLines.room });
    if (taken.length === 0) throw new AlreadyTaken();
    const booking = refused === null ? await insertSession(tx, row) : null;
    if (refused !== null) await tx.insert(agentSessions).values(refusedSession(row, refused));
    const { teamId, createdAt } = row;
    await tx
      .insert(phoneCalls)
      .values({ sessionId: row.id, teamId, phoneNumberId: line.number.id, direction: "inbound", createdAt });
    return booking;
  };
  let { refused } = line;
  try {
    const booking = await sessions.db
      .transaction((tx) => work(tx, refused))
      .catch(async (error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== "out_of_credit") throw error;
        refused = error.message;
        return await sessions.db.transaction((tx) => work(tx, refused));
      });
    if (booking !== null) await announceCredit(sessions, row.teamId, booking);
    return refused === null ? "taken" : "refused";
  } catch (error) {
    if (error instanceof AlreadyTaken) return "known";
    throw error;
  }
}

class AlreadyTaken extends Error {}

/** The record of a call that nobody answered. */
function refusedSession(row: SessionRow, detail: string): SessionRow {
  const over = { status: "failed", endedReason: "refused", endedDetail: detail, endedAt: row.createdAt } as const;
  return { ...row, ...over, heldMicros: 0, givenUntil: null, unheldSince: null };
}
