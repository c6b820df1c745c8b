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

const toolCallSources = ["client", "webhook", "mcp", "builtin", "background", "unknown"] as const;

/** Of the call of a tool. `nodeId` is there because the vendor's clients declare it; there is one node. */
interface ToolEvent {
  callId: string;
  toolName: string;
  toolSource: (typeof toolCallSources)[number];
  nodeId: string;
}

/** An event of the agent. Texts of tools are cut to `MAX_EVENT_TEXT_CHARACTERS` on the way, and say so. */
export type AgentEvent =
  | {
      type: "client_tool.call";
      callId: string;
      toolName: string;
      params: Record<string, unknown>;
      expectsResponse: boolean;
    }
  | ({ type: "tool.started"; input: string; inputTruncated?: boolean } & ToolEvent)
  | ({ type: "tool.completed"; output: string; outputTruncated?: boolean } & ToolEvent)
  | ({ type: "tool.failed"; error: string; errorTruncated?: boolean } & ToolEvent)
  | { type: "session.ended"; reason: "user_hangup" | "agent_hangup" | "conversation_timeout" | "escalated" }
  | { type: "error"; code: "provider_error" | "internal_error" };

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
