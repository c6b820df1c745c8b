import { endOfTurnMs } from "./end-of-turn.js";
import { joined, wordsOf } from "./language/words.js";
import type { DialogueSettings } from "./settings.js";

/** How long the end of a turn waits for recognition, from the last voiced frame. */
const MAX_RECOGNITION_TAIL_MS = 3000;

/** What the caller is saying, from its first word until the turn is over. */
export class CallerTurn {
  readonly #settings: DialogueSettings;
  #words = "";
  /** Of these, what was spoken. */
  #spokenWords = "";
  #partial = "";
  #isTyped = false;
  #isTextOnly = false;
  /** Words of this turn that will not change are sure, and so are those that may. */
  #hasSureWords = false;
  #isPartialUnsure = false;
  /** Between `speech-started` and `speech-paused`. */
  #isSpeaking = false;
  /** When the last voiced frame of what was said came; null when nothing waits for the end of the turn. */
  #lastVoicedMs: number | null = null;
  #transcribedMs: number | null = null;

  constructor(settings: DialogueSettings) {
    this.#settings = settings;
  }

  /** All words so far, those that may change last. */
  get text(): string {
    return this.#words + joined(this.#words, this.#partial);
  }

  /** The words so far that were spoken and not typed, those that may change last. */
  get spokenText(): string {
    return this.#spokenWords + joined(this.#spokenWords, this.#partial);
  }

  /** All words so far may still change. */
  get isPartial(): boolean {
    return this.#words === "";
  }

  /** All words so far may be a hum that was taken for words. */
  get isUnsure(): boolean {
    return !this.#hasSureWords && (this.#partial === "" || this.#isPartialUnsure);
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  get isTyped(): boolean {
    return this.#isTyped;
  }

  /** The answer is to be read: so the last message of the turn wants it, and nothing was spoken since. */
  get isTextOnly(): boolean {
    return this.#isTextOnly;
  }

  get lastVoicedMs(): number | null {
    return this.#lastVoicedMs;
  }

  get transcribedMs(): number | null {
    return this.#transcribedMs;
  }

  /** Nothing is being said or waits to be understood or answered. */
  get isEmpty(): boolean {
    return !this.#isSpeaking && this.#lastVoicedMs === null;
  }

  /** All that was said is understood, for now. */
  get isTranscribed(): boolean {
    return !this.#isSpeaking && this.#transcribedMs !== null;
  }

  speechStarted(nowMs: number): void {
    this.#isSpeaking = true;
    this.#lastVoicedMs = nowMs;
    this.#transcribedMs = null;
  }

  speechPaused(lastVoicedMs: number, nowMs: number): void {
    if (!this.#isSpeaking) return;
    this.#isSpeaking = false;
    this.#lastVoicedMs = Math.max(this.#lastVoicedMs ?? 0, Math.min(lastVoicedMs, nowMs));
  }

  /** Takes words that may change; true when they are new. */
  partial(text: string, isUnsure: boolean, nowMs: number): boolean {
    const before = wordsOf(this.text).join(" ");
    this.#partial = text.trim();
    this.#isPartialUnsure = isUnsure;
    return this.#spoken(before, nowMs);
  }

  /** Takes words that will not change; true when they are new. */
  transcript(text: string, isUnsure: boolean, nowMs: number): boolean {
    const before = wordsOf(this.text).join(" ");
    this.#hasSureWords ||= !isUnsure;
    this.#words += joined(this.#words, text.trim());
    this.#spokenWords += joined(this.#spokenWords, text.trim());
    this.#partial = "";
    return this.#spoken(before, nowMs);
  }

  transcribed(nowMs: number): void {
    if (this.#isSpeaking || this.#lastVoicedMs === null) return;
    this.#partial = "";
    this.#transcribedMs = nowMs;
  }

  typed(text: string, isTextOnly: boolean, nowMs: number): void {
    this.#words = [this.text, text.trim()].filter((part) => part !== "").join("\n");
    this.#spokenWords = this.spokenText;
    this.#partial = "";
    this.#isTyped = true;
    this.#isTextOnly = isTextOnly;
    this.#hasSureWords = true;
    this.#lastVoicedMs = nowMs;
  }

  /** When the turn is over if nothing more is said; null while it cannot be. */
  overAtMs(): number | null {
    if (this.#lastVoicedMs === null) return null;
    if (this.#isTyped) return this.#lastVoicedMs;
    if (this.#isSpeaking) return null;
    const { eagerness, language } = this.#settings;
    const silentAtMs = this.#lastVoicedMs + endOfTurnMs(this.text, eagerness, language);
    const understoodAtMs = this.#transcribedMs ?? this.#lastVoicedMs + MAX_RECOGNITION_TAIL_MS;
    return Math.max(silentAtMs, understoodAtMs);
  }

  /** Forgets the words; speech that goes on begins a new turn. */
  reset(nowMs: number): void {
    this.#words = "";
    this.#spokenWords = "";
    this.#partial = "";
    this.#isTyped = false;
    this.#isTextOnly = false;
    this.#hasSureWords = false;
    this.#transcribedMs = null;
    this.#lastVoicedMs = this.#isSpeaking ? nowMs : null;
  }

  #spoken(before: string, nowMs: number): boolean {
    if (wordsOf(this.text).join(" ") === before) return false;
    this.#isTextOnly = false;
    // Words without speech that anybody noticed: the pause counts from them.
    this.#lastVoicedMs ??= nowMs;
    return true;
  }
}
