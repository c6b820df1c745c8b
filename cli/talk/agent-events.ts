import { z } from "zod";

const called = { toolName: z.string() };

/** What a terminal shows, or answers, of an agent's events (`protocol/agents/events.ts`). */
const shownEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("client_tool.call"), callId: z.string(), expectsResponse: z.boolean(), ...called }),
  z.object({ type: z.literal("tool.started"), input: z.string(), ...called }),
  z.object({ type: z.literal("tool.completed"), output: z.string(), ...called }),
  z.object({ type: z.literal("tool.failed"), error: z.string(), ...called }),
  z.object({ type: z.literal("session.ended"), reason: z.string() }),
  z.object({ type: z.literal("error"), code: z.string() }),
]);
export type ShownEvent = z.output<typeof shownEvent>;

/** The event of a packet; null for what is not known here. */
export function readAgentEvent(packet: Uint8Array): ShownEvent | null {
  try {
    return shownEvent.safeParse(JSON.parse(new TextDecoder().decode(packet))).data ?? null;
  } catch {
    // Not JSON, and so no event of ours.
    return null;
  }
}

/** An event in one line for a terminal; null for what is shown elsewhere. */
export function describeEvent(event: ShownEvent): string | null {
  switch (event.type) {
    case "tool.started":
      return `tool ${event.toolName} runs with ${short(event.input)}`;
    case "tool.completed":
      return `tool ${event.toolName} gave ${short(event.output)}`;
    case "tool.failed":
      return `tool ${event.toolName} failed: ${short(event.error)}`;
    case "client_tool.call":
      return event.expectsResponse ? `tool ${event.toolName} is for the caller's program; a terminal has none` : null;
    case "error":
      return `error: ${event.code}`;
    case "session.ended":
      return null;
  }
}

const SHOWN_CHARACTERS = 200;

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
