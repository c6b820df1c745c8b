/** How long a socket whose client has not shown that it starts again waits for another `start`. */
const UNPROVEN_MS = 1000;

/** What is known, when a live socket has said `finish`, of the client behind it. */
export interface FinishedStart {
  /** How often the client has started on this socket. */
  starts: number;
  /** Whether the last thing that it wrote before `stop` was a `flush` of some text. */
  isFlushed: boolean;
  /** The longest wait that the operator settled, milliseconds. */
  longestMs: number;
}

/**
 * How long a live socket waits, after `finish`, for another `start`, in milliseconds.
 *
 * Voice-agent frameworks keep sockets for their next turn: LiveKit's plugins flush every sentence, and start on the
 * same socket minutes later; a closed one costs them a failed attempt. Libraries that speak one text write it without a
 * flush, and fish-audio 0.1.0 for Node leaves its socket open until the server closes: its program does not end before.
 * So a client that flushed all it wrote, or has started again already, is waited for; any other one is given a second.
 */
export function reuseWaitMs({ starts, isFlushed, longestMs }: FinishedStart): number {
  return starts > 1 || isFlushed ? longestMs : Math.min(UNPROVEN_MS, longestMs);
}
