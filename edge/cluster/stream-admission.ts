import type { Heartbeat, SchedulerLoad } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { OverloadGate } from "./overload-gate.js";
import { type KnownLoad, retryAfterMs, roomiest, StreamCount } from "./stream-room.js";

/** A stream of speech that asks to be begun. */
export interface AskedStream {
  /** What the overload gate calls work like it. */
  kind: string;
  /** Whose room it takes; null where that is not looked at, and the scheduler is asked. */
  model: string | null;
  teamId: string;
  /** Longest time to its first audio for which it is taken; infinity where it has no limit of its own. */
  mostWaitMs: number;
}

/**
 * Lets streams of speech in before anything is done for them. Of a burst those are refused at once for which no
 * scheduler has room; the others begin a few in each turn of the event loop, so that nobody waits for a refusal until
 * they are planned.
 */
export class StreamAdmission {
  readonly #gate: OverloadGate;
  readonly #schedulers: () => readonly Extract<Heartbeat, { role: "scheduler" }>[];
  readonly #inTurn: (task: () => void) => void;
  /** By the report itself: what was let through is forgotten with it. */
  readonly #since = new WeakMap<SchedulerLoad, StreamCount>();
  readonly #waiting = new Map<string, StreamCount>();

  constructor(options: {
    gate: OverloadGate;
    /** The schedulers that live. */
    schedulers: () => readonly Extract<Heartbeat, { role: "scheduler" }>[];
    /** Runs a task now, or in a later turn of the event loop when enough was begun in this one. */
    inTurn: (task: () => void) => void;
  }) {
    this.#gate = options.gate;
    this.#schedulers = options.schedulers;
    this.#inTurn = options.inTurn;
  }

  /** Throws `overloaded` when a scheduler would refuse the stream; resolves when it may begin. */
  async admit(asked: AskedStream): Promise<void> {
    const { kind, model, teamId, mostWaitMs } = asked;
    this.#gate.check(kind);
    if (model === null) return await this.#turn(kind);
    const waiting = this.#waitingFor(model);
    const excessMs = retryAfterMs({ teamId, mostWaitMs, known: this.#known(model), waiting });
    if (excessMs !== null) throw new ServiceError("overloaded", { retryAfterMs: excessMs });
    waiting.add(teamId, 1);
    try {
      await this.#turn(kind);
    } finally {
      waiting.add(teamId, -1);
    }
    roomiest(this.#known(model), mostWaitMs)?.since.add(teamId, 1);
  }

  /** Throws when a scheduler has refused work of this kind meanwhile. */
  async #turn(kind: string): Promise<void> {
    await new Promise<void>((resolve) => this.#inTurn(resolve));
    this.#gate.check(kind);
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
