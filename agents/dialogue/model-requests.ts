import type { DialogueMessage, ModelToolCall } from "./input.js";
import type { Purpose } from "./instructions.js";
import { wordsOf } from "./language/words.js";
import type { Outbox } from "./outbox.js";

/** A request to the language model, and what of its answer was not taken yet. */
export interface ModelRequest {
  requestId: string;
  purpose: Purpose;
  turnId: number;
  /** What the caller had said when it was asked before the turn was over; null when it was asked afterwards. */
  assumedWords: string | null;
  /** The answer may be spoken: the turn is over. */
  isReleased: boolean;
  /** Text that was not given to speak. */
  text: string;
  /** Some text of it was. */
  isBegun: boolean;
  calls: ModelToolCall[];
  outcome: ModelOutcome | null;
  askedMs: number;
  firstTextMs: number | null;
}

export type ModelOutcome = { type: "finished" } | { type: "failed"; detail: string };

/** The requests of a dialogue, of which at most one is in flight; holds what its answer says until it is taken. */
export class ModelRequests {
  readonly #outbox: Outbox;
  #current: ModelRequest | null = null;
  #count = 0;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** The request whose answer was not taken whole. */
  get current(): ModelRequest | null {
    return this.#current;
  }

  ask(about: { purpose: Purpose; turnId: number; instruction: string | null }, nowMs: number): void {
    const { instruction, ...rest } = about;
    this.#send({ ...rest, assumedWords: null }, this.#outbox.memory.wholeHistory(), instruction, nowMs);
  }

  /** Asks for the answer to what the caller has said so far, before it is sure that it was all. */
  speculate(words: string, nowMs: number): void {
    const turnId = this.#outbox.memory.turnId + 1;
    const history: DialogueMessage[] = this.#outbox.memory.wholeHistory();
    history.push({ role: "caller", turnId, text: words });
    this.#send({ purpose: "turn", turnId, assumedWords: normalized(words) }, history, null, nowMs);
  }

  /** Whether the request was asked early, for other words than these. */
  isForOther(words: string): boolean {
    const assumed = this.#current?.assumedWords ?? null;
    return assumed !== null && assumed !== normalized(words);
  }

  text(requestId: string, text: string, nowMs: number): void {
    const request = this.#open(requestId);
    if (request === null) return;
    if (text.trim() !== "") request.firstTextMs ??= nowMs;
    request.text += text;
  }

  toolCall(requestId: string, call: ModelToolCall): void {
    this.#open(requestId)?.calls.push(call);
  }

  ended(requestId: string, outcome: ModelOutcome): void {
    const request = this.#open(requestId);
    if (request !== null) request.outcome = outcome;
  }

  /** The answer was taken whole. */
  close(): void {
    this.#current = null;
  }

  drop(): void {
    if (this.#current === null) return;
    this.#outbox.add({ type: "drop-request", requestId: this.#current.requestId });
    this.#current = null;
  }

  #open(requestId: string): ModelRequest | null {
    const request = this.#current;
    return request?.requestId === requestId && request.outcome === null ? request : null;
  }

  #send(
    about: Pick<ModelRequest, "purpose" | "turnId" | "assumedWords">,
    history: readonly DialogueMessage[],
    instruction: string | null,
    nowMs: number,
  ): void {
    this.drop();
    const requestId = `request-${++this.#count}`;
    const isReleased = about.assumedWords === null;
    const answer = { text: "", isBegun: false, calls: [], outcome: null, firstTextMs: null };
    this.#current = { requestId, ...about, isReleased, ...answer, askedMs: nowMs };
    this.#outbox.add({ type: "ask-model", requestId, history, instruction });
  }
}

const normalized = (text: string): string => wordsOf(text).join(" ");
