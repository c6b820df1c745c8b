import type { Heartbeat, SchedulerLoad } from "#protocol/bus/membership";
import { type KnownLoad, retryAfterMs, roomiest, StreamCount } from "./stream-room.js";

/** A live stream that asks for room. */
export interface RoomRequest {
  /** The model that speaks it. */
  model: string;
  teamId: string;
  /** Longest time to its first audio for which it is taken; infinity where it has no limit of its own. */
  mostWaitMs: number;
}

/** What schedulers last said of their room, and the streams that one edge has let through since. */
export class RoomBook {
  readonly #schedulers: () => Iterable<Extract<Heartbeat, { role: "scheduler" }>>;
  /** By the report itself: what was let through is forgotten with it. */
  readonly #since = new WeakMap<SchedulerLoad, StreamCount>();
  readonly #waiting = new Map<string, StreamCount>();

  /** `schedulers` gives those that live. */
  constructor(schedulers: () => Iterable<Extract<Heartbeat, { role: "scheduler" }>>) {
    this.#schedulers = schedulers;
  }

  /** Null where a scheduler may take the stream, else when to come back (`retryAfterMs`). */
  retryAfterMs({ model, teamId, mostWaitMs }: RoomRequest): number | null {
    return retryAfterMs({ teamId, mostWaitMs, known: this.#known(model), waiting: this.#waitingFor(model) });
  }

  /** The stream is let through, and waits for its turn. */
  letThrough({ model, teamId }: RoomRequest): void {
    this.#waitingFor(model).add(teamId, 1);
  }

  /** It waits no more: it begins, or it does not. */
  ended({ model, teamId }: RoomRequest): void {
    this.#waitingFor(model).add(teamId, -1);
  }

  /** A scheduler will have it. */
  begins({ model, teamId, mostWaitMs }: RoomRequest): void {
    roomiest(this.#known(model), mostWaitMs)?.since.add(teamId, 1);
  }

  #waitingFor(model: string): StreamCount {
    const waiting = this.#waiting.get(model) ?? new StreamCount();
    this.#waiting.set(model, waiting);
    return waiting;
  }

  #known(model: string): KnownLoad[] {
    const known: KnownLoad[] = [];
    for (const { state, loads } of this.#schedulers()) {
      if (state !== "ready") continue;
      const load = loads.find((one) => one.model === model && one.slots > 0);
      if (load === undefined) continue;
      const since = this.#since.get(load) ?? new StreamCount();
      this.#since.set(load, since);
      known.push({ load, since });
    }
    return known;
  }
}
