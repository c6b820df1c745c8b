import type { AgentConfig } from "#protocol/agents/config";
import type { SessionCreate } from "#protocol/agents/session";
import { isTimezone } from "#protocol/agents/text";
import type { ConversationPlan, ConversationRoom, ConversationTool, PlannedCall } from "#protocol/bus/conversation";
import { dateIn } from "#common/text/local-time";
import type { PinnedSource } from "../knowledge/store.js";
import type { FrozenTool } from "../tools/store.js";

export interface PlannedSession {
  sessionId: string;
  teamId: string;
  /** Of the key that asked; empty for a visitor. */
  keyId: string;
  agentId: string;
  agentName: string;
  /** Overrides applied. */
  config: AgentConfig;
  tools: readonly FrozenTool[];
  knowledge: readonly PinnedSource[];
  body: SessionCreate;
  /** Callers without a key may have less recorded than the agent's configuration says, and never more. */
  isVisitor: boolean;
  joinMs: number;
  now: Date;
  /** Null where the caller joins by a token. */
  call: PhoneCallDraft | null;
}

/** A call that a session is. */
export interface PhoneCallDraft extends PlannedCall {
  /** Where LiveKit SIP put the caller; null for one that is to be dialed. */
  place: { room: string; callerIdentity: string } | null;
}

/** Everything that a runtime needs, frozen at `now`. */
export function conversationPlan(session: PlannedSession): ConversationPlan {
  const { sessionId, config, body, now, call } = session;
  const timezone = timezoneOf(body, config);
  const recordsByConfig = config.conversation.record_audio;
  const recordsAudio = body.record_audio ?? recordsByConfig;
  return {
    sessionId,
    teamId: session.teamId,
    keyId: session.keyId,
    agentId: session.agentId,
    agentName: session.agentName,
    config,
    tools: config.tools.enabled ? session.tools.map(toConversationTool) : [],
    knowledge: config.knowledge_base.enabled
      ? session.knowledge.map(({ id, revisionNumber }) => ({ sourceId: id, revisionNumber }))
      : [],
    dynamicVariables: Object.fromEntries(
      Object.entries(body.dynamic_variables ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    system: {
      channel: call === null ? "web_voice" : call.dial === null ? "phone_inbound" : "phone_outbound",
      timezone: timezone === "" ? "UTC" : timezone,
      today: dateIn(timezone, now),
      language: config.voice.speaking_language,
      ...(call === null ? {} : { caller_number: call.callerNumber, dialed_number: call.dialedNumber }),
    },
    timezone,
    tellsWorldContext: body.world_context ?? true,
    llmExtraBody: body.llm_extra_body ?? null,
    sendsToolEvents: body.tool_events ?? true,
    recordsAudio: session.isVisitor ? recordsByConfig && recordsAudio : recordsAudio,
    ...(call === null ? {} : { call: plannedCallOf(call) }),
    room: roomOf(sessionId, call),
    joinByEpochMs: now.getTime() + session.joinMs,
    maxDurationMs: config.conversation.max_duration_seconds * 1000,
    createdAtEpochMs: now.getTime(),
  };
}

const plannedCallOf = ({ place: _, ...planned }: PhoneCallDraft): PlannedCall => planned;

function roomOf(sessionId: string, call: PhoneCallDraft | null): ConversationRoom {
  return {
    name: call?.place?.room ?? `parley-${sessionId}`,
    callerIdentity: call?.place?.callerIdentity ?? `caller-${sessionId}`,
    agentIdentity: `agent-${sessionId}`,
  };
}

/** What the request says, else what is configured, else what the caller's browser believes; empty is UTC. */
function timezoneOf({ timezone, client_timezone: hint }: SessionCreate, config: AgentConfig): string {
  if (timezone !== null && timezone !== undefined && timezone !== "") return timezone;
  if (config.conversation.timezone !== "") return config.conversation.timezone;
  return hint !== null && hint !== undefined && isTimezone(hint) ? hint : "";
}

/** A frozen tool without its made-up answers: they are for tests, and may be large. */
function toConversationTool({ id, toolType, name, definition, secrets }: FrozenTool): ConversationTool {
  return { id, toolType, name, definition: { ...definition, mock_responses: [] }, secrets };
}
