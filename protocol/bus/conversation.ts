import { type AgentConfig, defaultOutbound } from "../agents/config.js";
import type { TransferMode } from "../agents/config-values.js";
import type { ClientEvent } from "../agents/events.js";
import type { SystemVariable, ToolType } from "../tools.js";

/*
 * What the control plane and the conversation runtimes (`agents/`) say to each other. The control plane creates a
 * session and gives it to a runtime; what happens in it is the runtime's to say, in the conversation's log
 * (conversation-log.ts).
 */

/** A conversation may go over to other runtimes: each start counts one up from 1. */
export type ConversationAttempt = number;

/** A tool as the session's version froze it, credentials sealed. */
export interface ConversationTool {
  id: string;
  toolType: ToolType;
  name: string;
  /** What the published version keeps of it (`tools/definition.ts`). */
  definition: unknown;
  /** Sealed, by lower-case header name. */
  secrets: Record<string, string>;
}

/** Everything that a runtime needs to hold a conversation. Frozen when the session is created. */
export interface ConversationPlan {
  sessionId: string;
  teamId: string;
  /** The key that created the session, for usage; empty for a visitor's. */
  keyId: string;
  agentId: string;
  agentName: string;
  /** The published version's, overrides applied; secrets sealed. Texts are not filled in yet. */
  config: AgentConfig;
  tools: ConversationTool[];
  knowledge: { sourceId: string; revisionNumber: number }[];
  /** For `{{name}}` in the texts of the prompt section and in first messages. */
  dynamicVariables: Record<string, string>;
  /** For `{{system.name}}`. */
  system: Partial<Record<SystemVariable, string>>;
  /** IANA name; empty is UTC. */
  timezone: string;
  /** Whether the prompt tells date, time zone and channel. */
  tellsWorldContext: boolean;
  /** Further fields of the request to the language model, or null. */
  llmExtraBody: Record<string, unknown> | null;
  sendsToolEvents: boolean;
  recordsAudio: boolean;
  /** Absent where the caller joins by a token. */
  call?: PlannedCall;
  room: ConversationRoom;
  /** A session that nobody has joined by then fails; milliseconds since 1970. */
  joinByEpochMs: number;
  maxDurationMs: number;
  /** Milliseconds since 1970. */
  createdAtEpochMs: number;
}

/** A phone call: its caller is a participant that LiveKit SIP puts into the room. */
export interface PlannedCall {
  /** E.164. */
  callerNumber: string;
  dialedNumber: string;
  /** What the runtime dials by; null for a call that came in. */
  dial: {
    /** Of the LiveKit server. */
    trunkId: string;
    /** It rings so long at most. */
    ringMs: number;
  } | null;
  /** Absent where there is nobody to transfer the caller to. */
  transfers?: PlannedTransfers;
}

/** To whom the agent may transfer the caller of a phone call. */
export interface PlannedTransfers {
  destinations: PlannedDestination[];
  /** By which the leg of a warm transfer is dialed, of the LiveKit server; null where none of them is warm. */
  trunkId: string | null;
  /** What the destination of a warm transfer sees: the number that calls, or that was called. */
  fromNumber: string;
  /** A destination rings so long at most. */
  ringMs: number;
}

export interface PlannedDestination {
  /** By which the model names it: each has its own. */
  name: string;
  /** E.164. */
  phoneNumber: string;
  mode: TransferMode;
  /** Whether the destination of a warm transfer is asked first whether they take the caller. */
  confirms: boolean;
}

/** Where the destination of a conversation's warm transfer is, apart from its caller. Transfers count from 1. */
export const transferRoomName = (sessionId: string, transferId: number): string =>
  `parley-transfer-${sessionId}-${transferId}`;

/** Whether the runtime finds out who answers: a person, or a machine. */
export function detectsAnswerer({ call, config }: Pick<ConversationPlan, "call" | "config">): boolean {
  const { amd_enabled: isEnabled } = config.conversation.outbound ?? defaultOutbound;
  return isEnabled && call !== undefined && call.dial !== null;
}

export interface ConversationRoom {
  name: string;
  callerIdentity: string;
  agentIdentity: string;
}

/** Asks one runtime to take a conversation over, or on. Answered by `Reply<StartedConversation>`. */
export interface StartConversation {
  plan: ConversationPlan;
  attempt: ConversationAttempt;
}

export interface StartedConversation {
  runtimeId: string;
}

/** Asks the runtime that holds a conversation to end it, or to let go of it. Answered by `Reply<EndingConversation>`. */
export interface EndConversation {
  sessionId: string;
  reason: string;
}

/**
 * Of a runtime that ends a conversation. It leaves the room and then deletes it: whoever is in a room that somebody else
 * deletes loses what LiveKit's library holds of it.
 */
export interface EndingConversation {
  /** Whether its log will say how it ended. One that is still being opened says nothing, and ends all the same. */
  isOpen: boolean;
}

export const startConversationSubject = (runtimeId: string): string => `parley.agents.${runtimeId}.start`;
/** Answered by a runtime that lives, with `{}`. */
export const runtimeThereSubject = (runtimeId: string): string => `parley.agents.${runtimeId}.there`;
export const endConversationSubject = (runtimeId: string): string => `parley.agents.${runtimeId}.end`;

/**
 * A runtime that drains gives a conversation back in one of its pauses, and stays in the room for a while: what the
 * caller does there is for the runtime that follows. Published on `handOverSubject`.
 */
export interface HandOver {
  sessionId: string;
  runtimeId: string;
  attempt: ConversationAttempt;
}

export const handOverSubject = "parley.events.conversation-handed-over";

/** Asks a runtime what the caller did since it handed a conversation over. Answered by `Reply<Backlog>`. */
export interface TakeBacklog {
  sessionId: string;
}

export const takeBacklogSubject = (runtimeId: string): string => `parley.agents.${runtimeId}.take-backlog`;

/** What a caller did in the room, other than to speak. */
export type CallerEvent =
  | { type: "client-event"; event: ClientEvent }
  /** A key of a phone. */
  | { type: "key"; key: string }
  /** Left for good. */
  | { type: "left" };

/** What a caller did while nobody answered. The same however often it is asked for. */
export interface Backlog {
  /** In their order. */
  events: { event: CallerEvent; ageMs: number }[];
  /** What the caller said up to now: mono at `RECOGNITION_RATE`, 16 bit, little endian. */
  audio: Uint8Array;
}

/** Asks the control plane for passages of the revisions that a conversation pinned (`controlSubjects.searchKnowledge`). */
export interface SearchKnowledgeRequest {
  teamId: string;
  sources: { sourceId: string; revisionNumber: number }[];
  /** What was said. */
  query: string;
  limit: number;
}

export interface KnowledgePassage {
  sourceId: string;
  sourceName: string;
  heading: string;
  content: string;
  /** Larger is better; comparable within one search only. */
  score: number;
}

export interface SearchKnowledgeReply {
  passages: KnowledgePassage[];
}
