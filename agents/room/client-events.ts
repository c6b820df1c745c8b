import { type ClientEvent, clientEvent } from "#protocol/agents/events";
import { clientEventLimits, clientEventTopic } from "#protocol/agents/room-topics";
import type { Clock } from "#common/clock";
import { TokenBucket } from "#common/token-bucket";

/** What becomes of a packet: taken in, left aside, or the last straw. */
export type PacketVerdict = { type: "event"; event: ClientEvent } | { type: "dropped" } | { type: "flood" };

/** Judges the data packets of one caller, over all the times that it comes and goes. */
export class ClientEventGate {
  readonly #clock: Clock;
  readonly #rate: TokenBucket;
  /** Dropped packets; comes back as slowly as they may come at all. */
  readonly #patience: TokenBucket;

  constructor(clock: Clock) {
    const { perSecond, burst, droppedBeforeRemoval } = clientEventLimits;
    this.#clock = clock;
    this.#rate = new TokenBucket({ burst, perSecond }, clock.nowMs());
    this.#patience = new TokenBucket({ burst: droppedBeforeRemoval, perSecond }, clock.nowMs());
  }

  judge(topic: string, packet: Uint8Array): PacketVerdict {
    const nowMs = this.#clock.nowMs();
    const isTimely = this.#rate.take(nowMs);
    const event = isTimely && topic === clientEventTopic ? readClientEvent(packet) : null;
    if (event !== null) return { type: "event", event };
    return { type: this.#patience.take(nowMs) ? "dropped" : "flood" };
  }
}

/** The event that a packet is; null for what is none. */
function readClientEvent(packet: Uint8Array): ClientEvent | null {
  if (packet.byteLength > clientEventLimits.packetBytes) return null;
  const parsed = clientEvent.safeParse(parseJson(packet));
  if (!parsed.success) return null;
  const event = parsed.data;
  if (event.type === "user.message")
    return { type: "user.message", text: event.text, isTextOnly: event.audio === false };
  if (event.type === "client_tool.result") return { ...event, result: event.result };
  return event;
}

/** Undefined for what is no JSON. */
function parseJson(packet: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(packet));
  } catch {
    // A stranger's bytes: no event, like any other.
    return undefined;
  }
}
