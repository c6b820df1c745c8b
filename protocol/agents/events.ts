import { z } from "zod";
import { clientEventLimits } from "./room-topics.js";

/*
 * Events between an agent and a caller's program, one JSON object each, in data packets of the room: from the agent
 * under the topic `agent-event`, from the caller under `client-event`.
 */

const callId = z.string().min(1).max(128);

/**
 * An event of the caller's program. Fields and types that are not known are ignored: the protocol grows by them.
 * `audio: false` asks for an answer in text alone.
 */
export const clientEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("user.message"),
    text: z.string().trim().min(1).max(clientEventLimits.messageCharacters),
    audio: z.boolean().optional(),
  }),
  z.object({ type: z.literal("user.activity") }),
  z.object({ type: z.literal("user.interrupt") }),
  z.object({ type: z.literal("user.hangup") }),
  z.object({
    type: z.literal("client_tool.result"),
    callId,
    result: z.unknown().optional(),
    isError: z.boolean().default(false),
  }),
]);

/** An event of the caller's program, as an agent's runtime reads it. */
export type ClientEvent =
  /** `isTextOnly`: the answer to it is to be read, not heard. */
  | { type: "user.message"; text: string; isTextOnly?: boolean }
  | { type: "user.activity" }
  | { type: "user.interrupt" }
  | { type: "user.hangup" }
  | { type: "client_tool.result"; callId: string; result: unknown; isError: boolean };

const toolCallSources = ["client", "webhook", "mcp", "builtin", "background", "unknown"] as const;

/** Of the call of a tool. `nodeId` is there because the vendor's clients declare it; there is one node. */
const toolEvent = { callId: z.string(), toolName: z.string(), toolSource: z.enum(toolCallSources), nodeId: z.string() };
const endings = ["user_hangup", "agent_hangup", "conversation_timeout", "escalated"] as const;

/** An event of the agent. Texts of tools are cut to `MAX_EVENT_TEXT_CHARACTERS` on the way, and say so. */
export const agentEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("client_tool.call"),
    callId: z.string(),
    toolName: z.string(),
    params: z.record(z.string(), z.unknown()),
    expectsResponse: z.boolean(),
  }),
  z.object({
    type: z.literal("tool.started"),
    ...toolEvent,
    input: z.string(),
    inputTruncated: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("tool.completed"),
    ...toolEvent,
    output: z.string(),
    outputTruncated: z.boolean().optional(),
  }),
  z.object({ type: z.literal("tool.failed"), ...toolEvent, error: z.string(), errorTruncated: z.boolean().optional() }),
  z.object({ type: z.literal("session.ended"), reason: z.enum(endings) }),
  z.object({ type: z.literal("error"), code: z.enum(["provider_error", "internal_error"]) }),
]);
export type AgentEvent = z.infer<typeof agentEvent>;

/** UTF-16 units of a tool's input, output or error in an event: whole packets stay below what every client takes. */
export const MAX_EVENT_TEXT_CHARACTERS = 4000;

/** One packet of an event. */
export function encodeAgentEvent(event: AgentEvent): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(cutTexts(event)));
}

function cutTexts(event: AgentEvent): AgentEvent {
  if (event.type === "tool.started" && isLong(event.input))
    return { ...event, input: cut(event.input), inputTruncated: true };
  if (event.type === "tool.completed" && isLong(event.output))
    return { ...event, output: cut(event.output), outputTruncated: true };
  if (event.type === "tool.failed" && isLong(event.error))
    return { ...event, error: cut(event.error), errorTruncated: true };
  return event;
}

const isLong = (text: string): boolean => text.length > MAX_EVENT_TEXT_CHARACTERS;

/** Never between the two halves of a character beyond the basic plane. */
function cut(text: string): string {
  const last = text.charCodeAt(MAX_EVENT_TEXT_CHARACTERS - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, MAX_EVENT_TEXT_CHARACTERS - (splits ? 1 : 0));
}
