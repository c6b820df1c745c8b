const PEAKS_PER_SECOND = 50;

/** The loudest sample of each fiftieth of a second, of audio that comes piece by piece. */
export class PeakMeter {
  readonly #windowSamples: number;
  readonly #peaks: number[] = [];
  #samples = 0;

  constructor(sampleRate: number) {
    this.#windowSamples = Math.max(1, Math.round(sampleRate / PEAKS_PER_SECOND));
  }

  /** The peaks so far; the last one may be of less than its time. */
  get peaks(): readonly number[] {
    return this.#peaks;
  }

  add(samples: Float32Array): void {
    for (const sample of samples) {
      const index = Math.floor(this.#samples / this.#windowSamples);
      this.#peaks[index] = Math.max(this.#peaks[index] ?? 0, Math.abs(sample));
      this.#samples += 1;
    }
  }
}

/** The loudest peak under each of so many columns. */
export function columnsOf(peaks: readonly number[], columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * peaks.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * peaks.length) / columns));
    return Math.max(0, ...peaks.slice(from, to));
  });
}
