import { eq } from "drizzle-orm";
import type { SessionCreate, SessionToken } from "#protocol/agents/session";
import type { Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { findAgent, isAgentId } from "../agents/store.js";
import { type AgentRow, agents } from "../agents/tables.js";
import type { Runtime } from "./agent-runtimes.js";
import type { SessionContext } from "./context.js";
import { overridesOf, requireAllowed, requireShortPrompt, withOverrides } from "./effective-config.js";
import { toSessionToken } from "./entity.js";
import { deleteRoom } from "./finish.js";
import { frozenConfig } from "./frozen-config.js";
import { announceCredit, insertSession, newSession, withdrawSession } from "./new-session.js";
import { GIVE_MS, requirePlace, storePlacement } from "./placement.js";
import type { RoomServer } from "./rooms.js";
import { requireSpeech } from "./speech-capacity.js";
import type { SessionRow } from "./tables.js";
import { admitVisitor, type Visitor } from "./visitors.js";

/** Who asks for a session. */
export type SessionCaller = { principal: Principal } | { principal: null; visitor: Visitor };

/**
 * Creates a session: a record with credit held for the longest that it may last, a room, a runtime that waits in it,
 * and a token for the caller. Where one of them cannot be had, nothing is left of the others. Throws `not_found`,
 * `conflict` for an archived agent, `agent_not_published`, `override_not_allowed`, `key_required`, `validation`,
 * `agent_gateway_unreachable`, `no_agent_runtime`, `no_worker`, `language_not_served`, `out_of_credit`, and for
 * visitors what `admitVisitor` throws, and `agent_unavailable` where its owner has no credit.
 */
export async function createSession(
  context: SessionContext,
  caller: SessionCaller,
  body: SessionCreate,
  { isPreview }: { isPreview: boolean },
): Promise<SessionToken> {
  const agent = await callersAgent(context, caller, body.agent_id);
  const isVisitor = caller.principal === null;
  const frozen = await frozenConfig(context, agent, isPreview && !isVisitor);
  const overrides = overridesOf(body);
  requireAllowed(body, overrides, { overridesAllowed: agent.overridesAllowed, isVisitor, isPreview });
  await requireShortPrompt(overrides.systemPrompt);
  const { rooms } = context;
  if (rooms === null) throw new ServiceError("agent_gateway_unreachable");
  await requirePlace(context);
  const config = withOverrides(frozen.config, overrides);
  requireSpeech(context.served, context.modelFolders, config.voice.speaking_language);
  const now = context.now();
  const row = newSession({
    ...{ agent, frozen, body, now, joinMs: context.settings.joinMs },
    keyId: caller.principal?.keyId ?? "",
    config,
    source: isVisitor ? "public" : isPreview ? "dashboard" : "api_key",
    call: null,
  });
  await insertHeld(context, row, isVisitor);
  return await open(context, rooms, row);
}

/** The agent that a caller may talk to: one of the key's team, or a public one. */
async function callersAgent(context: SessionContext, caller: SessionCaller, agentId: string): Promise<AgentRow> {
  const { db } = context;
  if (caller.principal !== null) {
    const agent = await findAgent(db, caller.principal.teamId, agentId);
    if (agent.status === "archived")
      throw new ServiceError("conflict", { parameters: { detail: "Agent is archived" } });
    return agent;
  }
  const [agent] = isAgentId(agentId) ? await db.select().from(agents).where(eq(agents.id, agentId)) : [];
  if (agent === undefined) throw new ServiceError("not_found");
  await admitVisitor(context, agent, caller.visitor);
  return agent;
}

/** Writes the record together with the hold of its credit. A visitor does not learn what the owner lacks. */
async function insertHeld(context: SessionContext, row: SessionRow, isVisitor: boolean): Promise<void> {
  try {
    const booking = await context.db.transaction((tx) => insertSession(tx, row));
    await announceCredit(context, row.teamId, booking);
  } catch (error) {
    if (isVisitor && error instanceof ServiceError && error.code === "out_of_credit")
      throw new ServiceError("agent_unavailable");
    throw error;
  }
}

/** Makes the room, puts a runtime into it, and gives the caller's token; or leaves nothing of the session. */
async function open(context: SessionContext, rooms: RoomServer, row: SessionRow): Promise<SessionToken> {
  const { room } = row.plan;
  const { joinMs } = context.settings;
  let mayHold: Runtime[] = [];
  try {
    await rooms.create({ name: room.name, emptyMs: joinMs + GIVE_MS });
    const placement = await context.runtimes.place({ plan: row.plan, attempt: row.attempt });
    ({ mayHold } = placement);
    if (!(await storePlacement(context, row, placement))) throw new ServiceError("no_agent_runtime");
    const validMs = row.joinBy.getTime() - context.now().getTime();
    const token = await rooms.sign({ room: room.name, identity: room.callerIdentity, validMs });
    return toSessionToken(row, rooms.publicUrl, token);
  } catch (error) {
    // First: a runtime that nobody told takes the end of its room for a loss, and may still be joining it.
    await Promise.all(mayHold.map(({ id }) => context.runtimes.end(id, { sessionId: row.id, reason: "requested" })));
    await deleteRoom(context, row);
    await withdrawSession(context, row);
    throw error;
  }
}
