import type { TurnLatency } from "#protocol/bus/conversation-log";

/** What a turn of the caller was when it was over. */
interface TurnTimes {
  turnId: number;
  lastVoicedMs: number;
  decidedMs: number;
  transcribedMs: number | null;
  isTyped: boolean;
}

/** Ends a clause that can be synthesized. */
const clauseEnd = /[,.;:!?、。，；：！？]/;

/**
 * Measures the way from the caller's last voiced frame to the agent's first audible one, or first published text, for
 * the current turn.
 */
export class LatencyMeter {
  #turn: TurnTimes | null = null;
  #askedMs: number | null = null;
  #firstTextMs: number | null = null;
  #clauseMs: number | null = null;

  turnOver(turn: TurnTimes): void {
    this.#turn = turn;
    this.#askedMs = null;
    this.#firstTextMs = null;
    this.#clauseMs = null;
  }

  /** The answer is over: what is said later is no answer to the turn. */
  answerOver(): void {
    this.#turn = null;
  }

  /** Text of the answer was given to speak; `askedMs` and `firstTextMs` are null where no model wrote it. */
  spoken(text: string, nowMs: number, request: { askedMs: number; firstTextMs: number } | null): void {
    if (this.#firstTextMs === null) {
      this.#askedMs = request?.askedMs ?? null;
      this.#firstTextMs = request?.firstTextMs ?? nowMs;
    }
    if (this.#clauseMs === null && clauseEnd.test(text)) this.#clauseMs = nowMs;
  }

  /** The answer is audible, or published: what the turn took, once; null where nothing was measured. */
  begun(
    { turnId, isTextOnly }: { turnId: number; isTextOnly: boolean },
    nowMs: number,
  ): { turnId: number; latency: TurnLatency } | null {
    const turn = this.#turn;
    if (turn === null || turn.turnId !== turnId) return null;
    this.#turn = null;
    const { lastVoicedMs, decidedMs, transcribedMs, isTyped } = turn;
    const firstTextMs = this.#firstTextMs ?? nowMs;
    const isClauseKnown = this.#clauseMs !== null && this.#clauseMs <= nowMs;
    const readyMs = Math.max(decidedMs, this.#clauseMs ?? firstTextMs);
    const latency: TurnLatency = {
      totalMs: nowMs - lastVoicedMs,
      endpointingMs: isTyped ? null : decidedMs - lastVoicedMs,
      recognitionMs: isTyped || transcribedMs === null ? null : Math.max(0, transcribedMs - lastVoicedMs),
      modelFirstTokenMs: this.#askedMs === null ? null : firstTextMs - this.#askedMs,
      firstClauseMs: isClauseKnown ? Math.max(0, (this.#clauseMs ?? 0) - firstTextMs) : null,
      firstAudioMs: isTextOnly ? null : Math.max(0, nowMs - readyMs),
    };
    return { turnId, latency };
  }
}
