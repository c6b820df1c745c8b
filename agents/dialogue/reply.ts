import type { EndReason } from "#protocol/bus/conversation-log";
import type { Purpose } from "./instructions.js";
import { cut, endOfSentences, joined, wordStart, wordsOf } from "./language/words.js";
import type { OpenReply } from "./memory.js";
import type { Outbox } from "./outbox.js";

/** How a reply ended: `end` is why the conversation ends with it, if it does. */
export interface ReplyOver {
  purpose: Purpose;
  isInterrupted: boolean;
  end: { reason: EndReason; detail: string | null } | null;
}

/**
 * One reply, from its first text until the caller has heard it or interrupts it. One that is text only is published by
 * sentences, and what is published counts as heard.
 */
export class Reply {
  readonly replyId: string;
  readonly turnId: number;
  readonly purpose: Purpose;
  readonly isTextOnly: boolean;
  readonly #outbox: Outbox;
  #text: string;
  /** Where this machine's part of the text begins: what is played counts from here. */
  readonly #base: number;
  /** UTF-16 units that the caller has heard, or could read. */
  #heard: number;
  /** Text of a former runtime that must be spoken again. */
  #rest: string;
  #isGiven = false;
  #isAudible = false;
  #isPlayed = true;
  #isPaused = false;
  #isComplete: boolean;

  private constructor(outbox: Outbox, options: { open: Readonly<OpenReply>; purpose: Purpose; base: number }) {
    const { open, purpose, base } = options;
    this.#outbox = outbox;
    this.replyId = open.replyId;
    this.turnId = open.turnId;
    this.purpose = purpose;
    this.isTextOnly = open.isTextOnly;
    this.#text = open.text;
    this.#base = base;
    this.#heard = open.characters;
    const rest = open.text.slice(base);
    this.#rest = wordsOf(rest).length > 0 && !open.isTextOnly ? rest : "";
    this.#isComplete = open.isComplete;
  }

  static begin(outbox: Outbox, options: { turnId: number; purpose: Purpose; responder: string }): Reply {
    const { turnId, purpose, responder } = options;
    const replyId = `reply-${outbox.memory.replies + 1}`;
    const { isTextOnly } = outbox.memory;
    outbox.record({ type: "reply-started", replyId, turnId, responder, ...(isTextOnly ? { isTextOnly } : {}) });
    const open = { replyId, turnId, text: "", characters: 0, isComplete: false, isTextOnly };
    return new Reply(outbox, { open, purpose, base: 0 });
  }

  /** Goes on with a reply of a former runtime, from the beginning of the word that the caller has not heard whole. */
  static resume(outbox: Outbox, open: Readonly<OpenReply>, purpose: Purpose, language: string): Reply {
    return new Reply(outbox, { open, purpose, base: wordStart(open.text, open.characters, language) });
  }

  get playedText(): string {
    return cut(this.#text, this.#heard);
  }

  /** Whether it said anything to the caller, be it not audible yet. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  get isAudible(): boolean {
    return this.#isAudible;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** All of it was given, and what was given was played or published. */
  get isOver(): boolean {
    if (!this.#isComplete) return false;
    return this.isTextOnly ? this.#heard === this.#text.length : this.#rest === "" && !this.isSpeaking;
  }

  /** Whether text of it is being spoken. */
  get isSpeaking(): boolean {
    return !this.isTextOnly && this.#isGiven && !this.#isPlayed;
  }

  /** Speaks again what a former runtime left unsaid. */
  speakRest(): void {
    const rest = this.#rest;
    if (rest === "") return;
    this.#rest = "";
    this.#speak(rest);
    if (this.#isComplete) this.#outbox.add({ type: "finish-reply", replyId: this.replyId });
  }

  /** Adds text to say; returns what it says of it. */
  add(text: string, isNewAnswer: boolean): string {
    const addition = isNewAnswer ? joined(this.#text, this.#text === "" ? text.trimStart() : text) : text;
    if (addition === "") return "";
    this.#outbox.record({ type: "reply-text", replyId: this.replyId, text: addition });
    this.#text += addition;
    if (this.isTextOnly) this.#isGiven = true;
    else this.#speak(addition);
    return addition;
  }

  /**
   * Publishes more of a reply that is text only, its whole sentences, or all where `isPause`; true when there was more.
   * The end of the reply publishes its last words.
   */
  show(isPause: boolean): boolean {
    if (!this.isTextOnly) return false;
    const end = isPause || this.#isComplete ? this.#text.length : endOfSentences(this.#text);
    if (end <= this.#heard) return false;
    this.#heard = end;
    if (this.#isComplete) return true;
    this.#outbox.record({ type: "reply-heard", replyId: this.replyId, characters: end });
    this.#publish(this.playedText, false);
    return true;
  }

  /** No more text comes. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#outbox.record({ type: "reply-complete", replyId: this.replyId });
    if (this.#isGiven && !this.isTextOnly) this.#outbox.add({ type: "finish-reply", replyId: this.replyId });
  }

  audible(): void {
    this.#isAudible = true;
  }

  /** `characters` of what this machine gave were played; `isOver`: all of that. */
  heard(characters: number, isOver: boolean): void {
    if (!this.#isGiven || this.isTextOnly) return;
    const played = Math.min(this.#text.length, this.#base + Math.max(0, Math.floor(characters)));
    const isGrown = played > this.#heard;
    if (isGrown) this.#heard = played;
    // Word times may end before the last full stop; but text that was given a moment ago may not be known to the player.
    if (isOver && wordsOf(this.#text.slice(this.#heard)).length === 0) {
      this.#heard = this.#text.length;
      this.#isPlayed = true;
    }
    if (!isGrown) return;
    this.#publish(this.playedText, false);
    // Each word: whoever takes over says what stands in no record once more.
    this.#outbox.record({ type: "reply-heard", replyId: this.replyId, characters: this.playedText.length });
  }

  pause(): void {
    if (this.#isPaused || !this.isSpeaking) return;
    this.#isPaused = true;
    this.#outbox.add({ type: "pause-reply", replyId: this.replyId });
  }

  resumeSpeaking(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#outbox.add({ type: "resume-reply", replyId: this.replyId });
  }

  /** It is over; the caller heard no more of it where `isInterrupted`. */
  end(isInterrupted: boolean): void {
    const text = isInterrupted ? this.playedText : this.#text;
    const { replyId, turnId } = this;
    if (isInterrupted && this.#isGiven && !this.isTextOnly) this.#outbox.add({ type: "stop-reply", replyId });
    this.#outbox.record({ type: "reply-ended", replyId, turnId, text, isInterrupted });
    if (text !== "") this.#publish(text, true);
  }

  #speak(text: string): void {
    this.#isGiven = true;
    this.#isPlayed = false;
    this.#outbox.add({ type: "speak", replyId: this.replyId, text });
  }

  #publish(text: string, isFinal: boolean): void {
    const segmentId = `agent-${this.replyId}`;
    this.#outbox.add({ type: "publish-transcript", segmentId, speaker: "agent", text, isFinal });
  }
}
