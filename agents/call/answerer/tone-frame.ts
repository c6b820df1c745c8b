import { RECOGNITION_RATE } from "#protocol/transcription/chunk";

/** Samples of a frame: 20 ms at `RECOGNITION_RATE`. */
export const FRAME_SAMPLES = RECOGNITION_RATE / 50;

/** The one or two frequencies that make up a frame, or none where there is more to it. */
export interface ToneFrame {
  isTone: boolean;
  /** Of the loudest frequency; 0 where the frame is no tone. */
  frequencyHz: number;
  levelDb: number;
}

/** Telephones carry nothing above 4 kHz: half the rate is enough. */
const RATE = RECOGNITION_RATE / 2;
/** Samples looked at, of which those of the frame are the latest: neighbours in frequency lie 31 Hz apart. */
const WINDOW = 256;
const BIN_HZ = RATE / WINDOW;
const BINS = WINDOW / 2;
/** The window spreads a tone over so many neighbours on each side. */
const SPREAD_BINS = 2;
/** Voices hum below; beeps of machines lie above. */
const LOWEST_BIN = Math.round(350 / BIN_HZ);
const QUIETEST_DB = -45;
/** So much of the power lies at one frequency, or at two of which the second is no mere overtone of noise. */
const ONE_TONE_SHARE = 0.85;
const TWO_TONE_SHARE = 0.92;
const SECOND_TONE_SHARE = 0.1;

const noTone = (levelDb: number): ToneFrame => ({ isTone: false, frequencyHz: 0, levelDb });

/** Says of each 20 ms whether they are a tone, or two tones together, and little else. */
export class ToneFrames {
  readonly #samples = new Float64Array(WINDOW);
  readonly #power = new Float64Array(BINS);

  /** Takes the next `FRAME_SAMPLES`. */
  next(samples: Int16Array): ToneFrame {
    const count = FRAME_SAMPLES / 2;
    this.#samples.copyWithin(0, count);
    for (let i = 0; i < count; i++)
      this.#samples[WINDOW - count + i] = ((samples[2 * i] ?? 0) + (samples[2 * i + 1] ?? 0)) / 65_536;
    const total = this.#transform();
    const levelDb = 10 * Math.log10(total / WINDOW_GAIN + 1e-12);
    if (levelDb < QUIETEST_DB) return noTone(levelDb);
    const first = this.#peak(null);
    const second = this.#peak(first.bin);
    const isOne = first.power >= ONE_TONE_SHARE * total;
    const isTwo =
      first.power + second.power >= TWO_TONE_SHARE * total && second.power >= SECOND_TONE_SHARE * first.power;
    const isHigh = first.bin >= LOWEST_BIN && (isOne || second.bin >= LOWEST_BIN);
    return (isOne || isTwo) && isHigh ? { isTone: true, frequencyHz: first.bin * BIN_HZ, levelDb } : noTone(levelDb);
  }

  /** Writes the power of each frequency; gives the sum. */
  #transform(): number {
    let total = 0;
    for (let bin = 1; bin < BINS; bin++) {
      let [real, imaginary] = [0, 0];
      for (let i = 0; i < WINDOW; i++) {
        const weighted = (this.#samples[i] as number) * (weights[i] as number);
        const angle = (bin * i) % WINDOW;
        real += weighted * (cosines[angle] as number);
        imaginary += weighted * (cosines[(angle + WINDOW / 4) % WINDOW] as number);
      }
      const power = real * real + imaginary * imaginary;
      this.#power[bin] = power;
      total += power;
    }
    return total;
  }

  /** The loudest frequency with what the window spreads of it, at some distance from another one. */
  #peak(besides: number | null): { bin: number; power: number } {
    let bin = 0;
    const isOther = (at: number): boolean => besides === null || Math.abs(at - besides) > 2 * SPREAD_BINS;
    for (let at = 1; at < BINS; at++)
      if (isOther(at) && (this.#power[at] as number) > (this.#power[bin] as number)) bin = at;
    let power = 0;
    for (let at = Math.max(1, bin - SPREAD_BINS); at <= Math.min(BINS - 1, bin + SPREAD_BINS); at++)
      power += this.#power[at] as number;
    return { bin, power };
  }
}

const weights = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW));
const cosines = Float64Array.from({ length: WINDOW }, (_, i) => Math.cos((2 * Math.PI * i) / WINDOW));
/** Half the spectrum of a signal of power 1 sums up to so much. */
const WINDOW_GAIN = (WINDOW * weights.reduce((sum, weight) => sum + weight * weight, 0)) / 2;
