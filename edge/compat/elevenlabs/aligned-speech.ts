import type { WordTiming } from "#protocol/speech/chunk";
import type { ChunkEvent } from "#speech/output/output";
import { alignCharacters, type CharacterAlignment, joinAlignments, silentCharacters, SourceText } from "./alignment.js";

/**
 * Turns the events of a stream's pieces into alignments of its whole text, piece by piece. Times count from the start
 * of the stream.
 */
export class AlignedSpeech {
  readonly #source = new SourceText();
  #piece: { text: string; words: WordTiming[]; startSeconds: number } | null = null;
  #endSeconds = 0;

  /** Text that is going to be spoken. */
  append(text: string): void {
    this.#source.append(text);
  }

  /** Takes an event in; gives the alignment of a piece that is over, null otherwise. */
  take(event: ChunkEvent, sampleRate: number): CharacterAlignment | null {
    if (event.type === "chunk-started") {
      this.#piece = { text: event.text, words: [], startSeconds: event.offsetSamples / sampleRate };
      return null;
    }
    const piece = this.#piece;
    if (piece === null) return null;
    if (event.type === "words") {
      piece.words.push(...event.words);
      return null;
    }
    this.#piece = null;
    const durationSeconds = event.samples / sampleRate;
    this.#endSeconds = piece.startSeconds + durationSeconds;
    const skipped = silentCharacters(this.#source.before(piece.text), piece.startSeconds);
    return joinAlignments([skipped, alignCharacters({ ...piece, durationSeconds })]);
  }

  /** The text after the last piece, which has no audio; null when there is none. */
  rest(): CharacterAlignment | null {
    const text = this.#source.remainder();
    return text === "" ? null : silentCharacters(text, this.#endSeconds);
  }
}
