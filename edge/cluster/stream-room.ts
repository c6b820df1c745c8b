import type { SchedulerLoad, StreamRoom } from "#protocol/bus/membership";

/** Live streams of one model that were let through, by team. */
export class StreamCount {
  readonly #byTeam = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  get teams(): Iterable<string> {
    return this.#byTeam.keys();
  }

  of(teamId: string): number {
    return this.#byTeam.get(teamId) ?? 0;
  }

  add(teamId: string, count: 1 | -1): void {
    this.#total += count;
    const rest = this.of(teamId) + count;
    if (rest === 0) this.#byTeam.delete(teamId);
    else this.#byTeam.set(teamId, rest);
  }
}

/** What one scheduler last said of a model, and what was let through since. */
export interface KnownLoad {
  load: SchedulerLoad;
  since: StreamCount;
}

/** A stream that comes, and what is known of the cluster. */
export interface RoomFacts {
  teamId: string;
  /** Longest time to its first audio for which it is taken; infinity where it has no limit of its own. */
  mostWaitMs: number;
  /** Of every scheduler that serves the model. */
  known: readonly KnownLoad[];
  /** Let through, and not given to a scheduler yet. */
  waiting: StreamCount;
}

const SHORTEST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

/** How many streams a scheduler that has so much room takes whose first audio may take `mostWaitMs`. */
export function streamsWithin(room: StreamRoom, mostWaitMs: number): number {
  const { streams, atOnce, firstAudioMs, addedMs } = room;
  const spareMs = Math.min(mostWaitMs, room.mostWaitMs) - firstAudioMs;
  const further = spareMs < 0 ? 0 : 1 + Math.floor(spareMs / Math.max(0.001, addedMs));
  return Math.min(streams, atOnce + further);
}

/**
 * Whether schedulers would refuse a live stream, by what they last said of their room and what was let through since:
 * null where they may take it, else when to come back. A scheduler has the last word, so whoever is in doubt is let
 * through: where nothing is known of the room; the first stream of each team after each of the schedulers' reports,
 * which are at times a quarter of a second old; and a team that has had less than an equal share of the room.
 */
export function retryAfterMs({ teamId, mostWaitMs, known, waiting }: RoomFacts): number | null {
  if (known.length === 0) return null;
  let room = 0;
  let left = -waiting.total;
  let ofTeam = waiting.of(teamId);
  let excessMs = Number.POSITIVE_INFINITY;
  const teams = new Set([teamId, ...waiting.teams]);
  for (const { load, since } of known) {
    if (load.room === undefined) return null;
    const streams = streamsWithin(load.room, mostWaitMs);
    room += streams;
    left += Math.max(0, streams - since.total);
    ofTeam += since.of(teamId);
    for (const team of since.teams) teams.add(team);
    const before = Math.max(0, since.total + waiting.total - load.room.atOnce);
    const limitMs = Math.min(mostWaitMs, load.room.mostWaitMs);
    excessMs = Math.min(excessMs, load.room.firstAudioMs + before * load.room.addedMs - limitMs);
  }
  if (left > 0 || ofTeam < Math.max(1, Math.floor(room / teams.size))) return null;
  return Math.round(Math.min(LONGEST_RETRY_MS, Math.max(SHORTEST_RETRY_MS, excessMs)));
}

/** The load of the scheduler that has most room left, which will get the next stream. */
export function roomiest(known: readonly KnownLoad[], mostWaitMs: number): KnownLoad | undefined {
  const leftOf = ({ load, since }: KnownLoad): number =>
    load.room === undefined ? 0 : streamsWithin(load.room, mostWaitMs) - since.total;
  let best: KnownLoad | undefined;
  for (const one of known) if (best === undefined || leftOf(one) > leftOf(best)) best = one;
  return best;
}
