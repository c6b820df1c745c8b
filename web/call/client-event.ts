import { clientEventLimits } from "#protocol/agents/room-topics";

/** What a page sends to the agent (`clientEvent` of `protocol/agents/events.ts`). */
export type ClientEvent =
  | { type: "user.message"; text: string; audio?: boolean }
  | { type: "user.interrupt" }
  | { type: "client_tool.result"; callId: string; result?: unknown; isError?: boolean };

/** One packet of an event. Throws where it has no form in JSON, or is larger than an agent takes. */
export function encodeClientEvent(event: ClientEvent): Uint8Array<ArrayBuffer> {
  const packet = new TextEncoder().encode(JSON.stringify(event));
  if (packet.byteLength > clientEventLimits.packetBytes)
    throw new RangeError(`more than the ${clientEventLimits.packetBytes} bytes that an agent takes at once`);
  return packet;
}

/** What is sent of a message that somebody typed; null where there is nothing to send. Throws where it is too long. */
export function typedText(text: string): string | null {
  const trimmed = text.trim();
  if ([...trimmed].length > clientEventLimits.messageCharacters)
    throw new RangeError(`a message has ${clientEventLimits.messageCharacters} characters at most`);
  return trimmed === "" ? null : trimmed;
}
