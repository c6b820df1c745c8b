import { clientEventLimits } from "#protocol/agents/room-topics";

/** A data packet as it came. */
export interface Packet {
  topic: string;
  payload: Uint8Array;
}

/** The server tells of participants without a microphone every 3 s. */
const HELD_MS = 5000;

/**
 * Packets whose sender the room's library has not told of yet: without this, what a caller writes in its first seconds
 * would be lost. They belong to the participant that is told of next. At most as many are held as a caller may send at
 * once.
 */
export class EarlyPackets {
  #held: (Packet & { atMs: number })[] = [];

  /** Holds a packet that has just come, unless it is too large or too many are held. */
  hold(packet: Packet, nowMs: number): void {
    if (this.#held.length >= clientEventLimits.burst || packet.payload.byteLength > clientEventLimits.packetBytes)
      return;
    this.#held.push({ ...packet, atMs: nowMs });
  }

  /** Gives those that are not too old to be this participant's, in their order; none is held. */
  take(nowMs: number): Packet[] {
    const held = this.#held;
    this.#held = [];
    return held.filter(({ atMs }) => nowMs - atMs <= HELD_MS).map(({ topic, payload }) => ({ topic, payload }));
  }
}
