import type { Audio } from "../audible.js";

/** What the generator process is asked to do. */
export interface GeneratorTask {
  baseUrl: string;
  apiKey: string;
  audio: Audio;
  streams: number;
  wordsPerSecond: number | null;
  rampMs: number;
  seed: number;
}

/** One stream as its player had it. */
export interface StreamReport {
  /** Which of the texts. */
  text: number;
  /** Why it failed; null when it ended regularly. */
  problem: string | null;
  /** From the intended time of the first text to the first audible sample. */
  firstAudioMs: number;
  audioMs: number;
  /** By the player's store: none, and 100 ms. */
  plain: Recognized;
  stored: Recognized;
}

export interface Recognized {
  underruns: number;
  stalledMs: number;
}

/** The stored player's `preBufferMs`. */
export const STORE_MS = 100;

/** A finished run, from the generator's side. */
export interface GeneratorReport {
  streams: StreamReport[];
  /** First intended start to last close. */
  wallMs: number;
  /** Part of one core that the generator used. */
  processorShare: number;
  /** Lag of its event loop, 99th percentile and worst. */
  lagP99Ms: number;
  lagMaxMs: number;
}
