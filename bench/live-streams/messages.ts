import type { Audio } from "../audible.js";
import type { StreamEnd } from "./stream-end.js";

/** What the generator process is asked to do. */
export interface GeneratorTask {
  baseUrl: string;
  apiKey: string;
  audio: Audio;
  streams: number;
  wordsPerSecond: number | null;
  /** Streams start at random times (Poisson) within this time; 0 starts all of them at once. */
  rampMs: number;
  seed: number;
  /** Sockets are open and started this long before their text is due. */
  headStartMs: number;
  /** Whether the generator may run before the service it measures, where the system allows it. */
  isUrgent: boolean;
}

/** One stream as its player had it. */
export interface StreamReport {
  /** Which of the texts. */
  text: number;
  /** When its first text was due, from the first of the run. */
  dueMs: number;
  /** Why it failed; null when it ended regularly. */
  problem: string | null;
  end: StreamEnd;
  /** From the time at which the text was due to the end of the stream, or to its refusal. */
  endedMs: number;
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
