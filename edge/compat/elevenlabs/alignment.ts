import type { WordTiming } from "#protocol/speech/chunk";

/** When each character of a text sounds, seconds from the start of the audio; three lists of one length. */
export interface CharacterAlignment {
  characters: string[];
  startSeconds: number[];
  endSeconds: number[];
}

/** A spoken piece of text with the timing of its words (relative to the piece), and where its sound lies in the audio. */
export interface AlignedPiece {
  text: string;
  words: readonly WordTiming[];
  startSeconds: number;
  durationSeconds: number;
}

/**
 * Gives every character of a piece its time. A word's time is shared equally by its characters; what stands between words fills the time
 * between them. Times never go back and stay inside the piece.
 */
export function alignCharacters(piece: AlignedPiece): CharacterAlignment {
  const { text, startSeconds, durationSeconds } = piece;
  const endSeconds = startSeconds + durationSeconds;
  const alignment: CharacterAlignment = { characters: [], startSeconds: [], endSeconds: [] };
  let at = 0;
  let atSeconds = startSeconds;
  const share = (until: number, untilSeconds: number): void => {
    const characters = [...text.slice(at, until)];
    const toSeconds = Math.max(atSeconds, Math.min(untilSeconds, endSeconds));
    for (const [index, character] of characters.entries()) {
      alignment.characters.push(character);
      alignment.startSeconds.push(rounded(atSeconds + ((toSeconds - atSeconds) * index) / characters.length));
      alignment.endSeconds.push(rounded(atSeconds + ((toSeconds - atSeconds) * (index + 1)) / characters.length));
    }
    if (until >= at) [at, atSeconds] = [until, toSeconds];
  };
  for (const word of inOrder(piece.words, text.length)) {
    share(word.sourceStart, startSeconds + word.startMs / 1000);
    share(word.sourceEnd, startSeconds + word.endMs / 1000);
  }
  share(text.length, endSeconds);
  return alignment;
}

/** Words by their place in the text; one that overlaps an earlier one (a number read as several words) lengthens it. */
function inOrder(words: readonly WordTiming[], length: number): WordTiming[] {
  const ordered: WordTiming[] = [];
  for (const word of [...words].sort((a, b) => a.sourceStart - b.sourceStart || a.startMs - b.startMs)) {
    const last = ordered.at(-1);
    const sourceEnd = Math.min(word.sourceEnd, length);
    if (last !== undefined && word.sourceStart < last.sourceEnd) {
      last.sourceEnd = Math.max(last.sourceEnd, sourceEnd);
      last.endMs = Math.max(last.endMs, word.endMs);
    } else if (sourceEnd > word.sourceStart) ordered.push({ ...word, sourceEnd });
  }
  return ordered;
}

/**
 * Finds pieces in the text that they were cut from, one after the other, and gives what was left out before each: blanks between sentences,
 * tags that are never spoken. So the characters of all alignments together are the text.
 */
export class SourceText {
  #rest = "";

  /** More of the text came. */
  append(text: string): void {
    this.#rest += text;
  }

  /** What stands between the last piece and this one; the text moves on past it. A piece that is not found leaves the text where it is. */
  before(piece: string): string {
    const found = this.#rest.indexOf(piece);
    if (found < 0) return "";
    const skipped = this.#rest.slice(0, found);
    this.#rest = this.#rest.slice(found + piece.length);
    return skipped;
  }

  /** What follows the last piece. */
  remainder(): string {
    const rest = this.#rest;
    this.#rest = "";
    return rest;
  }
}

/** Characters that take no time, at one moment. */
export function silentCharacters(text: string, atSeconds: number): CharacterAlignment {
  const characters = [...text];
  const times = characters.map(() => rounded(atSeconds));
  return { characters, startSeconds: times, endSeconds: [...times] };
}

/** One alignment after the other. */
export function joinAlignments(parts: readonly CharacterAlignment[]): CharacterAlignment {
  return {
    characters: parts.flatMap((part) => part.characters),
    startSeconds: parts.flatMap((part) => part.startSeconds),
    endSeconds: parts.flatMap((part) => part.endSeconds),
  };
}

const rounded = (seconds: number): number => Math.round(seconds * 10_000) / 10_000;
