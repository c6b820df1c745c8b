/** Part of a track: samples, or silence where there are none. */
interface Stretch {
  samples: Int16Array | null;
  length: number;
}

/**
 * Puts audio that comes piece by piece where it belongs on a track's time line. Positions count samples from the time
 * line's beginning.
 *
 * Clocks say a little early or late when a piece was: one that is within `slack` of the end of the piece before follows
 * it without a seam. A larger gap is filled with silence. A process that was busy gets a piece late, and those after it
 * at once: they push back the silence that the late one has left before it, as far as it has not been taken.
 *
 *     taken │ held │
 *     ──────┼──────┼────────►
 *          from    to
 */
export class TrackTimeline {
  readonly #slack: number;
  #held: Stretch[] = [];
  #from: number;
  #to: number;

  constructor({ from, slack }: { from: number; slack: number }) {
    this.#from = from;
    this.#to = from;
    this.#slack = slack;
  }

  /**
   * Adds samples whose first one was at a position. `leastGap`: a gap that is smaller than this is none. Samples that
   * would come to lie later than they were are left out.
   */
  add(position: number, samples: Int16Array, leastGap = this.#slack): void {
    const gap = position - this.#to;
    if (gap > leastGap) this.#append({ samples: null, length: gap });
    const late = -gap > this.#slack ? -gap - this.#narrow(-gap) : 0;
    if (late < samples.length) this.#append({ samples: samples.subarray(late), length: samples.length - late });
  }

  /** What was added beyond a position has not been. */
  cut(position: number): void {
    while (this.#to > position) {
      const last = this.#held.pop();
      if (last === undefined) return;
      this.#to -= last.length;
      const length = position - this.#to;
      if (length > 0) this.#append({ samples: last.samples?.subarray(0, length) ?? null, length });
    }
  }

  /** Gives everything up to a position, with silence where nothing is, for good. */
  take(position: number): Int16Array {
    const taken = new Int16Array(Math.max(0, position - this.#from));
    while (this.#from < position) {
      const first = this.#held.shift();
      if (first === undefined) break;
      const { samples, length } = first;
      const wanted = Math.min(length, position - this.#from);
      if (samples !== null) taken.set(samples.subarray(0, wanted), taken.length - (position - this.#from));
      if (wanted < length) this.#held.unshift({ samples: samples?.subarray(wanted) ?? null, length: length - wanted });
      this.#from += wanted;
    }
    this.#from = Math.max(this.#from, position);
    this.#to = Math.max(this.#to, position);
    return taken;
  }

  #append(stretch: Stretch): void {
    this.#held.push(stretch);
    this.#to += stretch.length;
  }

  /** Takes up to so much silence away, the latest first; gives how much. */
  #narrow(most: number): number {
    let left = most;
    for (let index = this.#held.length - 1; index >= 0 && left > 0; index--) {
      const stretch = this.#held[index];
      if (stretch === undefined || stretch.samples !== null) continue;
      const away = Math.min(left, stretch.length);
      stretch.length -= away;
      left -= away;
    }
    this.#held = this.#held.filter(({ length }) => length > 0);
    this.#to -= most - left;
    return most - left;
  }
}
