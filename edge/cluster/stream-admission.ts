import { ServiceError } from "#protocol/errors";
import type { OverloadGate } from "./overload-gate.js";
import type { RoomBook, RoomRequest } from "./room-book.js";

/** A stream of speech that asks to be begun. */
export interface AskedStream {
  /** What the overload gate calls work like it. */
  kind: string;
  /** The room that it takes; null where that is not looked at, and the scheduler is asked. */
  room: RoomRequest | null;
}

/**
 * Lets streams of speech in before anything is done for them. Of a burst those are refused at once for which no
 * scheduler has room; the others begin a few in each turn of the event loop, so that nobody waits for a refusal until
 * they are planned.
 */
export class StreamAdmission {
  readonly #gate: OverloadGate;
  readonly #rooms: RoomBook;
  readonly #inTurn: (task: () => void) => void;

  constructor(options: {
    gate: OverloadGate;
    rooms: RoomBook;
    /** Runs a task now, or in a later turn of the event loop when enough was begun in this one. */
    inTurn: (task: () => void) => void;
  }) {
    this.#gate = options.gate;
    this.#rooms = options.rooms;
    this.#inTurn = options.inTurn;
  }

  /** Throws `overloaded` when a scheduler would refuse the stream; resolves when it may begin. */
  async admit({ kind, room }: AskedStream): Promise<void> {
    this.#gate.check(kind);
    if (room === null) return await this.#turn(kind);
    const retryAfterMs = this.#rooms.retryAfterMs(room);
    if (retryAfterMs !== null) throw new ServiceError("overloaded", { retryAfterMs });
    this.#rooms.letThrough(room);
    try {
      await this.#turn(kind);
    } finally {
      this.#rooms.ended(room);
    }
    this.#rooms.begins(room);
  }

  /** Throws when a scheduler has refused work of this kind meanwhile. */
  async #turn(kind: string): Promise<void> {
    await new Promise<void>((resolve) => this.#inTurn(resolve));
    this.#gate.check(kind);
  }
}
