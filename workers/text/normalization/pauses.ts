import type { NormalizedText, SpokenSpan } from "./span.js";
import type { Token } from "./tokens.js";

/** Marks from strongest to weakest; one is kept after a word, however many were written. */
const strength = ["?", "!", ".", ";", ":", ","];
const ellipsis = /\.\.|…/;
const weakPause = /[—–)(]|--|^-/;

/**
 * The one punctuation mark spoken after a word: from its own trail, the brackets and dashes around it, and the end of
 * its paragraph.
 */
export function pauseAfter(first: Token, trail: string, next: Token | undefined): string {
  const strongest = strength.find((mark) => trail.includes(mark));
  if (strongest === "." && ellipsis.test(trail)) return "...";
  if (next !== undefined && /^[-–]$/.test(first.core)) return ",";
  if (strongest !== undefined && (strongest !== "," || next?.startsBlock !== true)) return strongest;
  if (trail.includes("…")) return "...";
  if (next === undefined) return strongest ?? "";
  if (next.startsBlock) return ".";
  return strongest === "," ||
    weakPause.test(trail) ||
    opensBracket(next) ||
    (first.lead.includes("(") && trail.includes(")"))
    ? ","
    : "";
}

/** A bracket before the next word is a pause, but not around an area code. */
function opensBracket(next: Token): boolean {
  return next.lead.includes("(") && !(/^\d{3}$/.test(next.core) && next.trail === ")");
}

/** Collects spoken words and where they came from. */
export class SpokenBuilder {
  readonly #parts: string[] = [];
  readonly #spans: SpokenSpan[] = [];
  #length = 0;

  /**
   * Appends words that stand for the tokens `first` to `last`, then a punctuation mark. Empty words leave only their
   * pause, if none is there yet.
   */
  add(spoken: string, first: Token, last: Token, pause: string): void {
    if (spoken === "") {
      if (pause !== "" && this.#length === this.#spans.at(-1)?.spokenEnd) this.#append(pause);
      return;
    }
    if (this.#parts.length > 0) this.#append(" ");
    const spokenStart = this.#length;
    this.#append(spoken);
    this.#spans.push({
      spokenStart,
      spokenEnd: this.#length,
      sourceStart: first.sourceStart,
      sourceEnd: last.sourceEnd,
    });
    this.#append(pause);
  }

  finish(): NormalizedText {
    return { spoken: this.#parts.join(""), spans: this.#spans };
  }

  #append(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}
