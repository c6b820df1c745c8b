/**
 * Set on a caller once it has joined. The server writes it into the tokens that it sends to who is in the room, so that
 * coming back with one of them is told from joining with the first token again, which admits once.
 */
export const joinedAttribute = "parley.joined";

/** A participant under the caller's identity. */
export interface CallerArrival {
  /** Of this one stay in the room. */
  sid: string;
  attributes: Readonly<Record<string, string>>;
}

/**
 * Who sits in the caller's seat. The server lets one participant in under an identity, and puts the earlier one out for
 * it; whether that one may stay is decided here.
 */
export class CallerSeat {
  #isTokenSpent: boolean;
  #sid: string | null = null;
  /** The last one that was let in, as long as nobody saw it leave. */
  #admittedSid: string | null = null;
  readonly #refused = new Set<string>();
  /** Stays of callers that this side saw end, or lost sight of. */
  readonly #over = new Set<string>();

  constructor(isTokenSpent: boolean) {
    this.#isTokenSpent = isTokenSpent;
  }

  /** Stays: `mark` where it came with the first token, which is spent from now on. */
  arrive({ sid, attributes }: CallerArrival): { isAdmitted: boolean; mark: boolean } {
    const isMarked = (attributes[joinedAttribute] ?? "") !== "";
    // Seen again, after this side was away: the mark may have been on its way.
    const isKnown = sid === this.#admittedSid;
    if (this.#refused.has(sid) || (!isMarked && !isKnown && this.#isTokenSpent))
      return { isAdmitted: false, mark: false };
    this.#isTokenSpent = true;
    this.#sid = sid;
    this.#admittedSid = sid;
    this.#over.delete(sid);
    return { isAdmitted: true, mark: !isMarked };
  }

  /** Whether it was the caller who left, and not somebody who was not let in. */
  leave(sid: string): boolean {
    if (sid !== this.#sid) return false;
    this.vacate();
    this.#admittedSid = null;
    return true;
  }

  /** This one took the mark that was meant for another. */
  refuse(sid: string): void {
    this.#refused.add(sid);
  }

  /** Nobody can be seen any more; whether somebody sat here. */
  vacate(): boolean {
    if (this.#sid === null) return false;
    this.#over.add(this.#sid);
    this.#sid = null;
    return true;
  }

  /** Whether this stay ended, as far as this side saw, and nobody has told of it as there again. */
  isOver(sid: string): boolean {
    return this.#over.has(sid);
  }

  get isTaken(): boolean {
    return this.#sid !== null;
  }

  /** The stay of who sits here. */
  get sid(): string | null {
    return this.#sid;
  }

  /** Whether this one sits here. */
  isHeldBy(sid: string): boolean {
    return sid === this.#sid;
  }
}
