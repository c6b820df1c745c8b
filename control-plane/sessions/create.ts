import { eq } from "drizzle-orm";
import { agentConfig } from "#protocol/agents/config";
import type { SessionCreate, SessionToken } from "#protocol/agents/session";
import type { Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { newIdentifier } from "#common/identifier";
import { purgeKeys } from "../accounts/forget-keys.js";
import { conversationMicros } from "../accounts/prices.js";
import type { Attachments } from "../agents/attachables.js";
import { checkPrompt } from "../agents/config/checks.js";
import { configHash } from "../agents/config/config-hash.js";
import { freezeAttachments } from "../agents/draft.js";
import { findAgent, isAgentId } from "../agents/store.js";
import { type AgentRow, agents } from "../agents/tables.js";
import { findVersion } from "../agents/versions.js";
import type { Db } from "../database/database.js";
import type { PinnedSource } from "../knowledge/store.js";
import { holdCredit, settleHold } from "../ledger/holds.js";
import { type Booking, crossedZero } from "../ledger/post.js";
import type { FrozenTool } from "../tools/store.js";
import { requireRuntime, type Runtime } from "./agent-runtimes.js";
import type { SessionContext } from "./context.js";
import { overridesOf, requireAllowed, withOverrides } from "./effective-config.js";
import { toSessionToken } from "./entity.js";
import { deleteRoom } from "./finish.js";
import { GIVE_MS, storePlacement } from "./placement.js";
import { conversationPlan } from "./plan.js";
import { purgeLog } from "./purge.js";
import type { RoomServer } from "./rooms.js";
import { requireSpeech } from "./speech-capacity.js";
import { agentSessions, holdIdOf, type SessionRow } from "./tables.js";
import { admitVisitor, type Visitor } from "./visitors.js";

/** How long after its longest time a session that says nothing is still believed to go on. */
const FORGOTTEN_MS = 5 * 60_000;
/** How long after that its hold returns by itself, whatever happens to the session. */
const HOLD_MARGIN_MS = 3_600_000;

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
  requireRuntime(context.runtimes);
  const config = withOverrides(frozen.config, overrides);
  requireSpeech(context.served, context.modelFolders, config.voice.speaking_language);
  const now = context.now();
  const row = newSession({
    ...{ agent, frozen, body, now, joinMs: context.settings.joinMs },
    keyId: caller.principal?.keyId ?? "",
    config,
    source: isVisitor ? "public" : isPreview ? "dashboard" : "api_key",
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

/** A configuration as one session runs it. */
interface FrozenConfig {
  versionNumber: number;
  configHash: string;
  config: ReturnType<typeof agentConfig.parse>;
  attachments: Attachments;
}

/** The live version, or for a preview the draft as it is now. */
async function frozenConfig(
  { db, attachables }: SessionContext,
  agent: AgentRow,
  isPreview: boolean,
): Promise<FrozenConfig> {
  if (isPreview) {
    const config = agentConfig.parse(agent.draft);
    const attachments = await freezeAttachments(db, attachables, agent.teamId, config);
    return { versionNumber: 0, configHash: configHash(config, attachments), config, attachments };
  }
  const version = agent.liveVersion === 0 ? null : await findVersion(db, agent.id, agent.liveVersion);
  if (version === null) throw new ServiceError("agent_not_published");
  const { versionNumber, attachments } = version;
  return { versionNumber, configHash: version.configHash, config: agentConfig.parse(version.config), attachments };
}

async function requireShortPrompt(prompt: string | null): Promise<void> {
  const problem = prompt === null ? null : await checkPrompt(prompt, ["body", "overrides", "system_prompt"]);
  if (problem !== null) throw new ServiceError("validation", { problems: [problem] });
}

function newSession(given: {
  agent: AgentRow;
  frozen: FrozenConfig;
  config: FrozenConfig["config"];
  body: SessionCreate;
  source: SessionRow["source"];
  keyId: string;
  joinMs: number;
  now: Date;
}): SessionRow {
  const { agent, frozen, config, body, source, keyId, now } = given;
  const id = newIdentifier();
  const plan = conversationPlan({
    sessionId: id,
    keyId,
    ...{ teamId: agent.teamId, agentId: agent.id, agentName: agent.name, config, body, now, joinMs: given.joinMs },
    tools: frozen.attachments.tools as FrozenTool[],
    knowledge: frozen.attachments.knowledge as PinnedSource[],
    isVisitor: source === "public",
  });
  const later = (ms: number): Date => new Date(now.getTime() + ms);
  return {
    ...{ id, teamId: agent.teamId, agentId: agent.id, agentName: agent.name },
    ...{ versionNumber: frozen.versionNumber, configHash: frozen.configHash },
    name: body.name ?? null,
    status: "pending",
    source,
    direction: "inbound",
    ...{ dialStatus: null, answeredBy: null, callerNumber: null, dialedNumber: null },
    timezone: plan.timezone === "" ? null : plan.timezone,
    endUserId: body.end_user_id ?? null,
    metadata: body.metadata ?? {},
    plan,
    heldMicros: conversationMicros(plan.maxDurationMs),
    ...{ runtimeId: null, runtimeEpoch: null, attempt: 1, givenUntil: later(GIVE_MS), unheldSince: null },
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
    },
  };
}

/** Writes the record together with the hold of its credit. A visitor does not learn what the owner lacks. */
async function insertHeld(context: SessionContext, row: SessionRow, isVisitor: boolean): Promise<void> {
  const { id, teamId, heldMicros: micros, createdAt } = row;
  const expiresAt = new Date(row.overBy.getTime() + HOLD_MARGIN_MS);
  const hold = { id: holdIdOf(id), teamId, micros, purpose: "conversation", expiresAt };
  try {
    const booking = await context.db.transaction(async (tx) => {
      const held = await holdCredit(tx, hold, createdAt);
      await tx.insert(agentSessions).values(row);
      return held;
    });
    await tellEdges(context, teamId, booking);
  } catch (error) {
    if (isVisitor && error instanceof ServiceError && error.code === "out_of_credit")
      throw new ServiceError("agent_unavailable");
    throw error;
  }
}

async function tellEdges({ bus, db }: SessionContext, teamId: string, booking: Booking): Promise<void> {
  if (crossedZero(booking)) await purgeKeys(bus, db, [teamId]);
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
    await forget(context, row);
    throw error;
  }
}

/** Takes back a session that nobody was told of. */
async function forget(context: SessionContext, { id, teamId }: SessionRow): Promise<void> {
  const { db, now } = context;
  const release = async (tx: Db): Promise<Booking> => {
    await tx.delete(agentSessions).where(eq(agentSessions.id, id));
    return await settleHold(tx, holdIdOf(id), 0, now());
  };
  await tellEdges(context, teamId, await db.transaction(release));
  // What a runtime that had it has written.
  await purgeLog(context, id);
}
