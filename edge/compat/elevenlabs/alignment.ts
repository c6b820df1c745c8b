import type { WordTiming } from "#protocol/speech/chunk";

/** When each character of a text sounds, seconds from the start of the audio; three lists of one length. */
export interface CharacterAlignment {
  characters: string[];
  startSeconds: number[];
  endSeconds: number[];
}

/**
 * A spoken piece of text with the timing of its words (relative to the piece), and where its audio lies in that of the
 * whole.
 */
export interface AlignedChunk {
  text: string;
  words: readonly WordTiming[];
  startSeconds: number;
  durationSeconds: number;
}

/**
 * Gives every character of a piece its time. A word's time is shared equally by its characters; what stands between
 * words fills the time between them. Times never go back and stay inside the piece.
 */
export function alignCharacters({ text, words, startSeconds, durationSeconds }: AlignedChunk): CharacterAlignment {
  const aligner = new PieceAligner({ text, startSeconds, maxSeconds: durationSeconds });
  return joinAlignments([aligner.words(words), aligner.end(durationSeconds)]);
}

/** Does what `alignCharacters` does while the words of a piece become known, in order. What it has given is final. */
export class PieceAligner {
  readonly #text: string;
  readonly #startSeconds: number;
  readonly #limitSeconds: number;
  #at = 0;
  #atSeconds: number;

  /** No time lies later than `maxSeconds` after the piece's start, where that is known beforehand. */
  constructor({
    text,
    startSeconds,
    maxSeconds = Number.POSITIVE_INFINITY,
  }: { text: string; startSeconds: number; maxSeconds?: number }) {
    this.#text = text;
    this.#startSeconds = startSeconds;
    this.#limitSeconds = startSeconds + maxSeconds;
    this.#atSeconds = startSeconds;
  }

  /** Characters that are not given yet audio from here on. */
  get knownSeconds(): number {
    return this.#atSeconds;
  }

  /** The characters up to the end of the last of these words. */
  words(words: readonly WordTiming[]): CharacterAlignment {
    const ordered = inOrder(words, this.#text.length);
    return joinAlignments(
      ordered.flatMap((word) => [
        this.#share(word.sourceStart, this.#startSeconds + word.startMs / 1000),
        this.#share(word.sourceEnd, this.#startSeconds + word.endMs / 1000),
      ]),
    );
  }

  /** The rest, which sounds up to the piece's end. */
  end(durationSeconds: number): CharacterAlignment {
    return this.#share(this.#text.length, this.#startSeconds + durationSeconds);
  }

  /** Gives the time up to `untilSeconds` to the characters up to `until`. */
  #share(until: number, untilSeconds: number): CharacterAlignment {
    const characters = [...this.#text.slice(this.#at, until)];
    const fromSeconds = this.#atSeconds;
    const toSeconds = Math.max(fromSeconds, Math.min(untilSeconds, this.#limitSeconds));
    if (until >= this.#at) [this.#at, this.#atSeconds] = [until, toSeconds];
    const timeOf = (index: number): number =>
      rounded(fromSeconds + ((toSeconds - fromSeconds) * index) / characters.length);
    return {
      characters,
      startSeconds: characters.map((_, index) => timeOf(index)),
      endSeconds: characters.map((_, index) => timeOf(index + 1)),
    };
  }
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
 * Finds pieces in the text that they were cut from, one after the other, and gives what was left out before each:
 * blanks between sentences, tags that are never spoken. So the characters of all alignments together are the text.
 */
export class SourceText {
  #rest = "";

  /** More of the text came. */
  append(text: string): void {
    this.#rest += text;
  }

  /**
   * What stands between the last piece and this one; the text moves on past it. A piece that is not found leaves the
   * text where it is.
   */
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

/** The same characters, none earlier than a place. */
export function notBefore(
  { characters, startSeconds, endSeconds }: CharacterAlignment,
  seconds: number,
): CharacterAlignment {
  const later = (time: number): number => Math.max(time, seconds);
  return { characters, startSeconds: startSeconds.map(later), endSeconds: endSeconds.map(later) };
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
