import { type Lane, lanes } from "./lane.js";

/**
 * The first in a lane: what serving it costs, how long it has waited, and how late it starts (negative while in time).
 */
export interface LaneHead {
  costMs: number;
  ageMs: number;
  lateMs: number;
}

export type LaneHeads = Record<Lane, LaneHead | null>;

/**
 * Strict order with floors (deficit round robin). While a lane with a floor waits, it earns its share of all engine
 * time spent on others; once that pays for its head, it goes first. An empty lane earns nothing, so nobody saves up for
 * a burst. Brownout: while a running live stream is late, the floors of the others are halved instead of growing with
 * age, and while new live streams are refused they do not grow.
 */
export class FairShare {
  readonly #floors: Partial<Record<Lane, number>>;
  readonly #agingMs: number;
  readonly #earnedMs: Record<Lane, number> = { first: 0, urgent: 0, free: 0, bulk: 0, ahead: 0 };

  constructor(options: { floors: Partial<Record<Lane, number>>; agingMs: number }) {
    this.#floors = options.floors;
    this.#agingMs = options.agingMs;
  }

  /** The lane to serve next, of those that `mayGo`; null when all of them are empty. */
  choose(heads: LaneHeads, mayGo: (lane: Lane) => boolean = () => true): Lane | null {
    let strict: Lane | null = null;
    let owed: Lane | null = null;
    for (const lane of lanes) {
      const head = heads[lane];
      if (head === null) {
        this.#earnedMs[lane] = 0;
        continue;
      }
      if (!mayGo(lane)) continue;
      strict ??= lane;
      if (owed === null && this.#earnedMs[lane] > 0 && this.#earnedMs[lane] >= head.costMs) owed = lane;
    }
    return owed ?? strict;
  }

  /** Books engine time spent on `lane` while `heads` stood in line. */
  charge(lane: Lane, costMs: number, heads: LaneHeads, mayGrow = true): void {
    const brownout = (heads.urgent?.lateMs ?? 0) > 0;
    for (const other of lanes) {
      const floor = this.#floors[other] ?? 0;
      const head = heads[other];
      if (other === lane) this.#earnedMs[other] = Math.max(0, this.#earnedMs[other] - costMs);
      else if (head !== null && floor > 0)
        this.#earnedMs[other] += costMs * earnings(floor * this.#growth(other, head, brownout, mayGrow));
    }
  }

  #growth(lane: Lane, head: LaneHead, brownout: boolean, mayGrow: boolean): number {
    if (lane === "urgent") return 1;
    if (brownout) return 0.5;
    return mayGrow ? agedFloor(1, head.ageMs, this.#agingMs) : 1;
  }
}

/** A floor as it has grown while the head of its lane waited for `ageMs`. */
export function agedFloor(floor: number, ageMs: number, agingMs: number): number {
  return floor * (1 + Math.min(1, Math.max(0, ageMs / agingMs)));
}

/** A share s of everything is s/(1-s) of what the others get. */
function earnings(share: number): number {
  const bounded = Math.min(0.5, share);
  return bounded / (1 - bounded);
}
