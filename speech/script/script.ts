import type { Delivery } from "#protocol/speech/chunk";
import { describedTag, knownTag, type TagMeaning } from "./styles.js";

/** Text to speak, or a direction that is never spoken. */
export type ScriptSegment =
  | { kind: "text"; text: string }
  | { kind: "delivery"; delivery: Delivery }
  | { kind: "pause"; pauseMs: number }
  | { kind: "speaker"; speaker: number };

/** Longest content of a tag, in UTF-16 units; a longer one is text. */
const MAX_TAG_CHARACTERS = 80;

/**
 * Takes directions out of a text that arrives in pieces.
 *
 * - `(happy)`: a direction when the documented list has it, in every model; other parentheses are spoken.
 * - `[anything short]`: a direction in the S2 family (`freeTags`); in `s1` only when the list has it.
 * - `<|speaker:1|>` switches speakers; any other `<|...|>` is a control token and is dropped.
 *
 * A tag may be split over any number of `push` calls. Every character is looked at once: an opener inside an unfinished
 * tag makes what came before it text, so hostile input costs linear time.
 */
export class ScriptReader {
  readonly #freeTags: boolean;
  /** The unfinished tag, its opener included; empty outside of one. */
  #tag = "";

  constructor(options: { freeTags: boolean }) {
    this.#freeTags = options.freeTags;
  }

  /** Characters held back because they may become a tag. */
  get held(): string {
    return this.#tag;
  }

  /** Takes text in; gives the pieces that are certain. */
  push(text: string): ScriptSegment[] {
    const pieces: ScriptSegment[] = [];
    let plainStart = 0;
    const passPlain = (end: number): void => appendText(pieces, text.slice(plainStart, end));
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      if (this.#tag === "") {
        if (!isOpener(character)) continue;
        passPlain(at);
        this.#tag = character;
      } else {
        this.#extend(character, pieces);
      }
      plainStart = at + 1;
    }
    passPlain(text.length);
    return pieces;
  }

  /** Says that no more characters belong to what was pushed: an unfinished tag is text. */
  end(): ScriptSegment[] {
    const rest = this.#tag;
    this.#tag = "";
    return rest === "" ? [] : [{ kind: "text", text: rest }];
  }

  #extend(character: string, pieces: ScriptSegment[]): void {
    const tag = this.#tag;
    if (tag === "<" && character !== "|") return this.#giveUp(character, pieces);
    if (isOpener(character) || character === "\n" || tag.length > MAX_TAG_CHARACTERS + 2)
      return this.#giveUp(character, pieces);
    this.#tag = tag + character;
    if (!isComplete(this.#tag)) return;
    const piece = readTag(this.#tag, this.#freeTags);
    if (piece === null) appendText(pieces, this.#tag);
    else if (piece !== "nothing") pieces.push(piece);
    this.#tag = "";
  }

  #giveUp(character: string, pieces: ScriptSegment[]): void {
    appendText(pieces, this.#tag);
    this.#tag = isOpener(character) ? character : "";
    if (this.#tag === "") appendText(pieces, character);
  }
}

function isOpener(character: string): boolean {
  return character === "(" || character === "[" || character === "<";
}

function isComplete(tag: string): boolean {
  const last = tag.at(-1);
  switch (tag[0]) {
    case "(":
      return last === ")";
    case "[":
      return last === "]";
    default:
      return last === ">" && tag.length > 3 && tag.at(-2) === "|";
  }
}

/** The piece that a complete tag stands for; null when it is ordinary text. */
function readTag(tag: string, freeTags: boolean): ScriptSegment | "nothing" | null {
  if (tag.startsWith("<|")) {
    const speaker = /^speaker:\s*(\d{1,4})$/.exec(tag.slice(2, -2).trim())?.[1];
    return speaker === undefined ? "nothing" : { kind: "speaker", speaker: Number(speaker) };
  }
  const name = tag.slice(1, -1).trim().toLowerCase();
  if (name === "") return null;
  const meaning: TagMeaning | null = tag.startsWith("[") && freeTags ? describedTag(name) : knownTag(name);
  return meaning;
}

function appendText(pieces: ScriptSegment[], text: string): void {
  if (text === "") return;
  const last = pieces.at(-1);
  if (last?.kind === "text") last.text += text;
  else pieces.push({ kind: "text", text });
}
