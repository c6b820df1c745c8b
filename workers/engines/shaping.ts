import type { SampleFilter } from "#audio/voice/tilt-filter";
import type { WordTiming } from "#protocol/speech/chunk";

/** Samples as loud as this begin to be bent, so that no gain clips: about -2.5 dBFS. */
const KNEE = 24_576;
const FULL_SCALE = 32_767;

/**
 * Quieter than this is silence that an engine puts before the first audio: about -66 dBFS. A weak "th" lies below -54
 * dBFS.
 */
const AUDIBLE = 16;

/**
 * Kept before the first audible sample, so that soft onsets are not cut: with 5 ms a recognizer missed a word in
 * fifteen.
 */
const LEAD_IN_MS = 20;

/** How an engine's raw audio becomes the chunk's samples. */
export interface Shape {
  sampleRate: number;
  gainDb: number;
  /** Colours the audio; null leaves it. */
  filter: SampleFilter | null;
  pauseAfterMs: number;
  /** Most samples of the chunk; 0 is no limit. */
  maxSamples: number;
}

/**
 * Shapes one chunk's audio as it comes: drops the engine's leading silence, colours, amplifies without clipping, adds
 * the pause, stops at the limit. Every step is sample by sample, so the result does not depend on how the audio was cut
 * into pieces.
 */
export class ChunkShaper {
  readonly #shape: Shape;
  readonly #gain: number;
  #leadIn: Int16Array = new Int16Array(0);
  #sounding = false;
  #trimmedSamples = 0;
  #samples = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#gain = 10 ** (shape.gainDb / 20);
  }

  /** Samples given out so far. */
  get samples(): number {
    return this.#samples;
  }

  /** True when the limit is reached: what follows would be dropped. */
  get full(): boolean {
    return this.#shape.maxSamples > 0 && this.#samples >= this.#shape.maxSamples;
  }

  /** Takes raw audio, its memory with it; gives what of it is final. */
  push(raw: Int16Array): Int16Array {
    const audible = this.#sounding ? raw : this.#trim(raw);
    return this.#limit(this.#colour(audible));
  }

  /** The audio is over: gives the pause. */
  finish(): Int16Array {
    return this.#limit(new Int16Array(Math.round((this.#shape.pauseAfterMs / 1000) * this.#shape.sampleRate)));
  }

  /**
   * The word's timing in the chunk's samples, or null when it fell behind the limit. Its times count from the engine's
   * first sample.
   */
  place(word: WordTiming): WordTiming | null {
    const trimmedMs = (this.#trimmedSamples / this.#shape.sampleRate) * 1000;
    const limitMs =
      this.#shape.maxSamples > 0 ? (this.#shape.maxSamples / this.#shape.sampleRate) * 1000 : Number.POSITIVE_INFINITY;
    const startMs = Math.max(0, word.startMs - trimmedMs);
    if (startMs >= limitMs) return null;
    return {
      ...word,
      startMs: round(startMs),
      endMs: round(Math.max(startMs, Math.min(limitMs, word.endMs - trimmedMs))),
    };
  }

  #trim(raw: Int16Array): Int16Array {
    const joined = new Int16Array(this.#leadIn.length + raw.length);
    joined.set(this.#leadIn);
    joined.set(raw, this.#leadIn.length);
    const leadInSamples = Math.round((LEAD_IN_MS / 1000) * this.#shape.sampleRate);
    const onset = joined.findIndex((sample) => Math.abs(sample) >= AUDIBLE);
    this.#sounding = onset >= 0;
    const cut = Math.max(0, (onset >= 0 ? onset : joined.length) - leadInSamples);
    this.#trimmedSamples += cut;
    const rest = joined.subarray(cut);
    this.#leadIn = this.#sounding ? new Int16Array(0) : rest;
    return this.#sounding ? rest : new Int16Array(0);
  }

  #colour(samples: Int16Array): Int16Array {
    const coloured = this.#shape.filter?.process(samples) ?? samples;
    return this.#gain === 1 ? coloured : coloured.map((sample) => saturate(sample * this.#gain));
  }

  #limit(samples: Int16Array): Int16Array {
    const room = this.#shape.maxSamples > 0 ? Math.max(0, this.#shape.maxSamples - this.#samples) : samples.length;
    const kept = samples.length > room ? samples.slice(0, room) : samples;
    this.#samples += kept.length;
    return kept;
  }
}

/** Bends what is above the knee towards full scale; below it nothing changes. */
export function saturate(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) return Math.round(sample);
  const bent = KNEE + (FULL_SCALE - KNEE) * Math.tanh((size - KNEE) / (FULL_SCALE - KNEE));
  return Math.sign(sample) * Math.min(FULL_SCALE, Math.round(bent));
}

/** Floating-point audio in -1..1 as 16-bit samples, bent instead of clipped. */
export function toSamples(audio: Float32Array): Int16Array {
  // A plain loop: `Int16Array.from` with a function takes ten times as long.
  const samples = new Int16Array(audio.length);
  for (let i = 0; i < audio.length; i++) {
    const value = (audio[i] as number) * FULL_SCALE;
    if (value <= KNEE && value >= -KNEE) samples[i] = Math.floor(value + 0.5);
    else samples[i] = Number.isFinite(value) ? saturate(value) : 0;
  }
  return samples;
}

function round(valueMs: number): number {
  return Math.round(valueMs * 10) / 10;
}
