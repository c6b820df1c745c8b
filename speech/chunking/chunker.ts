import { type Delivery, neutralDelivery } from "#protocol/speech/chunk";
import { type ScriptSegment, ScriptReader } from "../script/script.js";
import { isSpeakable } from "./boundaries.js";
import { type Cut, Cutter } from "./cutter.js";
import { cutLimits, type CutLimits, type Pace, triggeredLimits } from "./pace.js";

/** A speakable piece of a script: one speaker, one manner. */
export interface ChunkText {
  /** Never empty, no tags; whitespace trimmed. */
  text: string;
  /** Index of the speaker, 0 unless the script switches. */
  speaker: number;
  delivery: Delivery;
  /** Silence before it, for a pause that came when the piece before was already on its way. */
  pauseBeforeMs: number;
  /** Silence after it. */
  pauseAfterMs: number;
}

/** Longest silence that a row of pauses makes. */
const MAX_PAUSE_MS = 10_000;

/** Held text of fewer characters is not worth a piece of its own, however short pieces may be. */
const SHORTEST_RELEASED = 20;

/**
 * Cuts text that arrives in pieces into speakable chunks.
 *
 * The result depends on the sequence of characters, on where `flush`, `trigger`, `releaseFinished` and `releaseHeld` were
 * called, and on nothing else: not on how the characters were split over `push` calls. A manner asked for by a tag holds until the
 * next such tag or the end of the sentence, whichever comes first; a switch of speaker holds until the next.
 */
export class Chunker {
  readonly #pace: Pace;
  readonly #reader: ScriptReader;
  readonly #chunks: ChunkText[] = [];
  #cutter: Cutter;
  #ordinal = 0;
  #speaker = 0;
  #delivery: Delivery = neutralDelivery;
  #pauseBeforeMs = 0;
  /** Characters of the held text, blanks not counted, that `trigger` has asked for. */
  #triggered = 0;

  constructor(options: { pace: Pace; freeTags: boolean }) {
    this.#pace = options.pace;
    this.#reader = new ScriptReader({ freeTags: options.freeTags });
    this.#cutter = new Cutter(this.#limits());
  }

  /** Text that is held back, for bounding and for knowing whether anything waits. */
  get heldText(): string {
    return this.#cutter.text + this.#reader.held;
  }

  /** Whether `trigger` has asked for text that is still held back. */
  get isTriggered(): boolean {
    return this.#triggered > 0;
  }

  /** Takes text in; gives the pieces that are complete. */
  push(text: string): ChunkText[] {
    for (const piece of this.#reader.push(text)) this.#take(piece);
    return this.#chunks.splice(0);
  }

  /** Everything so far is to be spoken now. The next piece is cut early again: somebody may be waiting for it. */
  flush(): ChunkText[] {
    for (const piece of this.#reader.end()) this.#take(piece);
    this.#emitAll(0);
    this.#triggered = 0;
    this.#restart(0);
    this.#delivery = neutralDelivery;
    return this.#chunks.splice(0);
  }

  /**
   * Everything so far is to be spoken soon, but not in the middle of a phrase: until it is, pieces are cut at the next
   * phrase end or at 50 characters. So a client that asks after every word gets phrases, not words.
   */
  trigger(): ChunkText[] {
    if (!this.#cutter.speakable) return [];
    const { text } = this.#cutter;
    const isNew = this.#triggered === 0;
    this.#triggered = inkLength(text);
    if (isNew) {
      this.#restart(this.#ordinal);
      this.#takeText(text);
    }
    return this.#chunks.splice(0);
  }

  /**
   * Gives sentences that are finished but were held for a longer piece or for the character after them. Call when text
   * stopped arriving.
   */
  releaseFinished(): ChunkText[] {
    if (this.#reader.held !== "") return [];
    const cut = this.#cutter.finished();
    if (cut !== null) this.#takeText(this.#cutOff(cut));
    return this.#chunks.splice(0);
  }

  /**
   * Gives the beginning of text that is held back for a longer piece, up to the best place that it has, where it is
   * long enough to be worth a piece. Call when the listener has nothing left to hear. A first piece has early limits of
   * its own, and where nobody waits (`normal`) whole sentences are worth a pause.
   */
  releaseHeld(): ChunkText[] {
    const { latency, minChunkLength } = this.#pace;
    if (this.#ordinal === 0 || latency === "normal") return [];
    if (this.#cutter.text.length < Math.max(minChunkLength, SHORTEST_RELEASED)) return [];
    const cut = this.#cutter.bestSoFar();
    if (cut !== null) this.#takeText(this.#cutOff(cut));
    return this.#chunks.splice(0);
  }

  #take(piece: ScriptSegment): void {
    switch (piece.kind) {
      case "text":
        return this.#takeText(piece.text);
      case "delivery":
        this.#emitAll(0);
        this.#delivery = piece.delivery;
        return;
      case "speaker":
        if (piece.speaker === this.#speaker) return;
        this.#emitAll(0);
        this.#speaker = piece.speaker;
        this.#delivery = neutralDelivery;
        return;
      case "pause":
        if (this.#cutter.speakable) this.#emitAll(piece.pauseMs);
        else this.#pauseBeforeMs = Math.min(MAX_PAUSE_MS, this.#pauseBeforeMs + piece.pauseMs);
    }
  }

  #takeText(text: string): void {
    // A cut puts the rest of the text back at the front; the stack avoids copying the long tail.
    const pending: { text: string; at: number }[] = [{ text, at: 0 }];
    for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
      if (top.at >= top.text.length) {
        pending.pop();
        continue;
      }
      const cut = this.#cutter.step(top.text.charAt(top.at++), this.#delivery.style !== "");
      if (cut === null) continue;
      pending.push({ text: this.#cutOff(cut), at: 0 });
    }
  }

  /** Makes a piece of the held text's beginning; gives the rest, which is to be taken anew. */
  #cutOff(cut: Cut): string {
    const { text } = this.#cutter;
    const piece = text.slice(0, cut.length);
    this.#emit(piece, 0);
    if (cut.sentenceEnd) this.#delivery = neutralDelivery;
    if (this.#triggered > 0) this.#triggered = Math.max(0, this.#triggered - inkLength(piece));
    this.#restart(this.#ordinal);
    return text.slice(cut.length);
  }

  /** Ends the piece here. What holds nothing speakable stays and joins what follows. */
  #emitAll(pauseAfterMs: number): void {
    if (!this.#cutter.speakable) return;
    this.#emit(this.#cutter.text, pauseAfterMs);
    this.#triggered = 0;
    this.#restart(this.#ordinal);
  }

  #emit(text: string, pauseAfterMs: number): void {
    const trimmed = text.trim();
    if (!isSpeakable(trimmed)) return;
    this.#chunks.push({
      text: trimmed,
      speaker: this.#speaker,
      delivery: this.#delivery,
      pauseBeforeMs: this.#pauseBeforeMs,
      pauseAfterMs,
    });
    this.#pauseBeforeMs = 0;
    this.#ordinal++;
  }

  #restart(ordinal: number): void {
    this.#ordinal = ordinal;
    this.#cutter = new Cutter(this.#limits());
  }

  #limits(): CutLimits {
    return this.#triggered > 0 ? triggeredLimits(this.#pace) : cutLimits(this.#pace, this.#ordinal);
  }
}

/** Characters that are no blanks: those are dropped at the edges of pieces, so that they cannot be counted on. */
const inkLength = (text: string): number => text.replace(/\s+/g, "").length;
