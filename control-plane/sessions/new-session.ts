import { eq } from "drizzle-orm";
import type { AgentConfig } from "#protocol/agents/config";
import type { SessionCreate } from "#protocol/agents/session";
import { newIdentifier } from "#common/identifier";
import { purgeKeys } from "../accounts/forget-keys.js";
import { conversationMicros } from "../accounts/prices.js";
import type { AgentRow } from "../agents/tables.js";
import type { Db } from "../database/database.js";
import type { PinnedSource } from "../knowledge/store.js";
import { holdCredit, settleHold } from "../ledger/holds.js";
import { type Booking, crossedZero } from "../ledger/post.js";
import type { FrozenTool } from "../tools/store.js";
import type { SessionContext } from "./context.js";
import type { FrozenConfig } from "./frozen-config.js";
import { GIVE_MS } from "./placement.js";
import { conversationPlan, type PhoneCallDraft } from "./plan.js";
import { purgeLog } from "./purge.js";
import { agentSessions, holdIdOf, type SessionRow } from "./tables.js";
import { heldMsOf } from "./usage.js";

/** How long after its longest time a session that says nothing is still believed to go on. */
const FORGOTTEN_MS = 5 * 60_000;
/** How long after that its hold returns by itself, whatever happens to the session. */
const HOLD_MARGIN_MS = 3_600_000;

/** Who and what a session is made for. */
export interface SessionDraft {
  agent: AgentRow;
  frozen: FrozenConfig;
  config: AgentConfig;
  body: SessionCreate;
  source: SessionRow["source"];
  keyId: string;
  joinMs: number;
  now: Date;
  /** Null for a caller that joins by a token. */
  call: PhoneCallDraft | null;
}

/** A session that has just begun: nobody has written it down yet. */
export function newSession(given: SessionDraft): SessionRow {
  const { agent, frozen, config, body, source, keyId, now, call } = given;
  const id = newIdentifier();
  const plan = conversationPlan({
    sessionId: id,
    keyId,
    ...{ teamId: agent.teamId, agentId: agent.id, agentName: agent.name, config, body, now, joinMs: given.joinMs },
    tools: frozen.attachments.tools as FrozenTool[],
    knowledge: frozen.attachments.knowledge as PinnedSource[],
    isVisitor: source === "public",
    call,
  });
  const later = (ms: number): Date => new Date(now.getTime() + ms);
  return {
    ...{ id, teamId: agent.teamId, agentId: agent.id, agentName: agent.name },
    ...{ versionNumber: frozen.versionNumber, configHash: frozen.configHash },
    name: body.name ?? null,
    status: "pending",
    source,
    direction: call === null || call.dial === null ? "inbound" : "outbound",
    ...{ dialStatus: null, answeredBy: null },
    ...{ callerNumber: call?.callerNumber ?? null, dialedNumber: call?.dialedNumber ?? null },
    timezone: plan.timezone === "" ? null : plan.timezone,
    endUserId: body.end_user_id ?? null,
    metadata: body.metadata ?? {},
    plan,
    heldMicros: conversationMicros(heldMsOf({ source }, plan)),
    ...{ runtimeId: null, runtimeEpoch: null, attempt: 1 },
    givenUntil: later(GIVE_MS),
    // Nobody waits for an answer with a token: a call whose creator died is given to a runtime all the same.
    unheldSince: call === null ? null : now,
    joinBy: new Date(plan.joinByEpochMs),
    overBy: later(given.joinMs + plan.maxDurationMs + FORGOTTEN_MS),
    createdAt: now,
    ...{
      startedAt: null,
      endedAt: null,
      endedReason: null,
      endedDetail: null,
      settleAt: null,
      purgeAt: null,
      responder: null,
      transfers: [],
    },
  };
}

/**
 * Writes a session together with the hold of its credit, in a transaction. Throws `out_of_credit`. Tell of the booking
 * with `announceCredit` after the commit.
 */
export async function insertSession(tx: Db, row: SessionRow): Promise<Booking> {
  const { id, teamId, heldMicros: micros, createdAt } = row;
  const expiresAt = new Date(row.overBy.getTime() + HOLD_MARGIN_MS);
  const held = await holdCredit(
    tx,
    { id: holdIdOf(id), teamId, micros, purpose: "conversation", expiresAt },
    createdAt,
  );
  await tx.insert(agentSessions).values(row);
  return held;
}

/** Makes edges ask again where credit began or ceased to be there. */
export async function announceCredit(
  { bus, db }: Pick<SessionContext, "bus" | "db">,
  teamId: string,
  booking: Booking,
): Promise<void> {
  if (crossedZero(booking)) await purgeKeys(bus, db, [teamId]);
}

/** Takes back a session that nobody was told of. */
export async function withdrawSession(context: SessionContext, { id, teamId }: SessionRow): Promise<void> {
  const { db, now } = context;
  const release = async (tx: Db): Promise<Booking> => {
    await tx.delete(agentSessions).where(eq(agentSessions.id, id));
    return await settleHold(tx, holdIdOf(id), 0, now());
  };
  await announceCredit(context, teamId, await db.transaction(release));
  // What a runtime that had it has written.
  await purgeLog(context, id);
}
