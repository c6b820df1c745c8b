/** The floor is the lowest level of so many sections of so many frames: two seconds. */
const SECTIONS = 8;
const SECTION_FRAMES = 25;
/** Weight of the newest frame in the level that is followed: single quiet frames are no floor. */
const NEWEST = 0.3;

/**
 * How loud it is where nobody speaks, by minimum statistics: between syllables the level falls to the background's. It
 * follows a background that falls at once, and one that rises after two seconds.
 */
export class NoiseFloor {
  readonly #minima: number[] = [];
  #lowestDb = Number.POSITIVE_INFINITY;
  #frames = 0;
  #smoothDb = Number.NaN;

  /** Takes the level of the next frame; gives the floor, dB of full scale. */
  next(levelDb: number): number {
    this.#smoothDb = Number.isNaN(this.#smoothDb) ? levelDb : this.#smoothDb + NEWEST * (levelDb - this.#smoothDb);
    this.#lowestDb = Math.min(this.#lowestDb, this.#smoothDb);
    const floorDb = Math.min(this.#lowestDb, ...this.#minima);
    this.#frames++;
    if (this.#frames === SECTION_FRAMES) {
      this.#minima.push(this.#lowestDb);
      if (this.#minima.length === SECTIONS) this.#minima.shift();
      this.#lowestDb = Number.POSITIVE_INFINITY;
      this.#frames = 0;
    }
    return floorDb;
  }
}
