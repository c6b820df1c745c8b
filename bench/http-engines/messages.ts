/** The two programs that are compared. */
export const engines = ["uWebSockets.js", "node:http and ws"] as const;
export type Engine = (typeof engines)[number];

/** A frame's audio: 43 ms of 24 kHz PCM, the smallest that live streams send. */
export const FRAME_BYTES = 2048;
export const FRAME_MS = (FRAME_BYTES / 2 / 24_000) * 1000;

/** Where the server's routes are. */
export const paths = { small: "/small", posted: "/posted", live: "/live", idle: "/idle" } as const;

/** Sent by a server once it listens. */
export interface ServerReady {
  port: number;
}

/**
 * Asks a server what it has used, after it has freed what it no longer needs where `isCollected` says so; `pace` before
 * has it make the frames of so many streams in real time, and send them nowhere.
 */
export interface ServerQuestion {
  isCollected?: true;
  pace?: { streams: number; frames: number };
}

export interface ServerUse {
  /** Of all its threads, since it started. */
  processorMs: number;
  residentBytes: number;
  /** V8's heap and what V8 counts outside of it. */
  heapBytes: number;
  openSockets: number;
}

/** What the load generator is asked for; it answers each with one report. */
export type GeneratorTask =
  | { kind: "requests"; port: number; request: "get" | "post"; connections: number; durationMs: number }
  | { kind: "open"; port: number; path: string; sockets: number }
  | { kind: "play"; frames: number }
  | { kind: "close" };

export interface RequestsReport {
  answers: number;
  errors: number;
  wallMs: number;
  /** Part of one core that the generator used. */
  processorShare: number;
}

export interface PlayReport {
  frames: number;
  /** Frames that were not what was asked for, and sockets that ended early. */
  errors: number;
  /** From the time that a frame was due to its arrival, percentiles of all frames. */
  latenessMs: { p50: number; p99: number };
  /** From the call that sends it to its arrival. */
  transitMs: { p50: number; p99: number };
  lagP99Ms: number;
  processorShare: number;
}

/** Text frame that starts a stream. */
export interface StreamOrder {
  frames: number;
  /** When the first frame is due, by the machine's monotonic clock. */
  startMs: number;
}

/** The machine's monotonic clock, the same one in every process. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
