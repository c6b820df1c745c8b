import type { ListedParticipant } from "#common/livekit/livekit-server";

/** A server may leave a participant out of its list once: one that it leaves out twice in a row has left. */
export class Absence {
  #sid: string | null = null;
  #missed = 0;

  /** Takes who is listed now; whether the stay `sid` was in neither this list nor the one before. Nobody is not away. */
  isGone(sid: string | null, present: readonly Pick<ListedParticipant, "sid">[]): boolean {
    if (sid !== this.#sid) this.#missed = 0;
    this.#sid = sid;
    this.#missed = sid === null || present.some((participant) => participant.sid === sid) ? 0 : this.#missed + 1;
    return this.#missed > 1;
  }
}
