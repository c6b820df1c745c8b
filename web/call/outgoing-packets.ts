import type { CallRoom } from "./room.js";

/** Packets for the agent, in order. What is sent while none is there would be lost, and waits for it instead. */
export class OutgoingPackets {
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #room: CallRoom | null = null;

  /** Sends packets into this room from now on; null while nobody there would read them. */
  connect(room: CallRoom | null): void {
    this.#room = room;
    this.#flush();
  }

  send(packet: Uint8Array<ArrayBuffer>): void {
    this.#waiting.push(packet);
    this.#flush();
  }

  #flush(): void {
    if (this.#room === null) return;
    // Sending fails where the room is gone, and of that the room tells.
    for (const packet of this.#waiting.splice(0)) this.#room.send(packet).catch(() => undefined);
  }
}
