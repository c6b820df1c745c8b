/** The agent is taken for speaking for so long after audio of it: what the microphone gets then may be its echo. */
const ECHO_MS = 500;

/**
 * How long a caller waits in each turn: from the line that was typed, or the last voiced frame of the microphone, to
 * the agent's first audio or text. Times are of one clock, in milliseconds.
 */
export class TurnLatency {
  #sinceMs: number | null = null;
  #agentAudibleMs = Number.NEGATIVE_INFINITY;

  /** The caller sent a line. */
  typed(atMs: number): void {
    this.#sinceMs = atMs;
  }

  /** The microphone gave a voiced frame. */
  voiced(atMs: number): void {
    if (atMs >= this.#agentAudibleMs + ECHO_MS) this.#sinceMs = atMs;
  }

  /** Audible audio of the agent came; gives how long the caller waited for it where it is the turn's first sign. */
  agentAudio(atMs: number): number | null {
    this.#agentAudibleMs = atMs;
    return this.#answered(atMs);
  }

  /** Text of the agent came; gives as `agentAudio`. */
  agentText(atMs: number): number | null {
    return this.#answered(atMs);
  }

  #answered(atMs: number): number | null {
    if (this.#sinceMs === null) return null;
    const latencyMs = atMs - this.#sinceMs;
    this.#sinceMs = null;
    return latencyMs;
  }
}
