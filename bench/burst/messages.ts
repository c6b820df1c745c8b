import type { StreamEnd } from "../live-streams/stream-end.js";

/** What the process that sends the HTTP requests is asked to do. */
export interface HttpBurstTask {
  baseUrl: string;
  apiKey: string;
  sampleRate: number;
  requests: number;
}

/** One of the texts, as its client had it. Times run from the one time at which all texts were due. */
export interface BurstOutcome {
  end: StreamEnd;
  /** To the first audible sample; NaN where none came. */
  firstAudioMs: number;
  /** To the end of the stream, or to its refusal. */
  endedMs: number;
  /** Whether a player with 100 ms in store fell silent before the end. */
  hasGap: boolean;
  /** Whether a refusal said when to try again; null where the protocol has no place for it. */
  hasRetryAfter: boolean | null;
  problem: string | null;
}

/** One burst over HTTP, from the side that sent it. */
export interface HttpBurstReport {
  outcomes: BurstOutcome[];
  lagP99Ms: number;
}

/** What the process that asks a server that only echoes is to do. */
export interface EchoBurstTask {
  /** Frames at once, each on a socket of its own. */
  frames: number;
  bytes: number;
  rounds: number;
}

/** From the one time at which the frames of a round were due to each one's return. */
export interface EchoBurstReport {
  answeredMs: number[];
}
