/** From here on a reply ends with its next sentence. */
const SOFT_LIMIT = 7000;
/** Longest reply, in UTF-16 units: some ten minutes of speech. */
const MAX_REPLY_CHARACTERS = 8000;

const sentenceEnd = /[.!?。！？…]["'”’»」』)]?(?=\s)|[。！？]|\n/u;

const opening = "<think>";
const closing = "</think>";

/**
 * The text of a reply as it comes: without the thoughts that some models write before it between `<think>` and
 * `</think>`, and bounded: a reply that would be longer ends with a sentence, or at worst with a word. Pure.
 */
export class ReplyText {
  #state: "start" | "thinking" | "speaking" | "over" = "start";
  #pending = "";
  #length = 0;

  /** Whether nothing more is taken. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Gives what of the text so far can be said. */
  push(text: string): string {
    this.#pending += text;
    if (this.#state === "start") this.#begin();
    if (this.#state === "thinking") this.#think();
    if (this.#state !== "speaking") return "";
    return this.#bound();
  }

  /** Gives what was held back; nothing more comes. */
  end(): string {
    const rest = this.#state === "start" || this.#state === "speaking" ? this.#pending : "";
    this.#state = "over";
    this.#pending = "";
    return rest.slice(0, MAX_REPLY_CHARACTERS - this.#length);
  }

  #begin(): void {
    const text = this.#pending.trimStart();
    if (text.startsWith(opening)) this.#state = "thinking";
    else if (!opening.startsWith(text)) this.#state = "speaking";
  }

  #think(): void {
    const end = this.#pending.indexOf(closing);
    if (end < 0) {
      // Thoughts may be long; a part of the mark may stand at the end.
      this.#pending = this.#pending.slice(-closing.length);
      return;
    }
    this.#pending = this.#pending.slice(end + closing.length).trimStart();
    // Blanks behind the thoughts may still come: they belong to none of both.
    this.#state = this.#pending === "" ? "thinking" : "speaking";
    if (this.#pending === "") this.#pending = closing;
  }

  #bound(): string {
    if (this.#length + this.#pending.length <= SOFT_LIMIT) return this.#take(this.#pending.length);
    const free = Math.max(0, SOFT_LIMIT - this.#length);
    const found = sentenceEnd.exec(this.#pending.slice(free));
    const end = found === null ? -1 : free + found.index + found[0].length;
    if (end >= 0 && this.#length + end <= MAX_REPLY_CHARACTERS) return this.#finish(end);
    const room = MAX_REPLY_CHARACTERS - this.#length;
    const blank = lastBlank(this.#pending.slice(0, room));
    if (this.#pending.length > room) return this.#finish(blank < 0 ? wholeCharacters(this.#pending, room) : blank);
    // Whole words only: the last one may turn out to be cut.
    return this.#take(Math.max(free, blank));
  }

  #take(characters: number): string {
    const taken = this.#pending.slice(0, characters);
    this.#pending = this.#pending.slice(characters);
    this.#length += taken.length;
    return taken;
  }

  #finish(characters: number): string {
    const taken = this.#take(characters);
    this.#state = "over";
    this.#pending = "";
    return taken;
  }
}

function lastBlank(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !/\s/.test(text.charAt(at))) at--;
  return at;
}

/** So many UTF-16 units, or one less where the last would be half a character. */
function wholeCharacters(text: string, units: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(units - 1)) ? units - 1 : units;
}
