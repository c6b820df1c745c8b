import type { ChunkEvent } from "#speech/output/output";
import { FrameAggregator } from "#speech/output/frame-aggregator";
import {
  type CharacterAlignment,
  joinAlignments,
  notBefore,
  PieceAligner,
  silentCharacters,
  SourceText,
} from "./alignment.js";

/** Audio, and the characters that begin in it; only a last frame may have no audio. */
export interface AlignedFrame {
  audio: Uint8Array | null;
  /** Null where no character begins. Times count from the start of the stream. */
  alignment: CharacterAlignment | null;
}

/** Places that were calculated in two ways are equal within this. */
const TOLERANCE_SECONDS = 1e-6;

/**
 * Joins encoded audio to frames, each with the characters that begin in it. A word's time becomes known a little after
 * its audio: a frame waits until all its characters are known, which is at the end of its piece at the latest.
 */
export class AlignedFrames {
  readonly #source = new SourceText();
  readonly #frames: FrameAggregator;
  readonly #isAligned: boolean;
  readonly #waiting: { audio: Uint8Array; endSeconds: number }[] = [];
  #piece: { aligner: PieceAligner; offsetSamples: number } | null = null;
  /** Characters with their times that no frame has taken. */
  #known = nothing();
  /** Characters that are not known yet begin here or later. */
  #knownSeconds = 0;
  /** Where the last known character ends. */
  #lastSeconds = 0;
  #endSeconds = 0;

  /** `isAligned` false is audio alone: no frame waits. */
  constructor({ minFrameBytes, isAligned }: { minFrameBytes: number; isAligned: boolean }) {
    this.#frames = new FrameAggregator(minFrameBytes);
    this.#isAligned = isAligned;
    if (!isAligned) this.#knownSeconds = Number.POSITIVE_INFINITY;
  }

  /** Text that is going to be spoken. */
  append(text: string): void {
    if (this.#isAligned) this.#source.append(text);
  }

  /** Audio given from now on reaches up to here. */
  encodedTo(endSeconds: number): void {
    this.#endSeconds = endSeconds;
  }

  /** Takes encoded audio; gives the frames that can go. */
  audio(bytes: Uint8Array): AlignedFrame[] {
    return this.#enqueue(this.#frames.add(bytes));
  }

  /** Takes what becomes known about the text; gives the frames that can go now. */
  chunk(event: ChunkEvent, sampleRate: number): AlignedFrame[] {
    if (!this.#isAligned) return [];
    if (event.type === "chunk-started") {
      const startSeconds = event.offsetSamples / sampleRate;
      this.#piece = {
        aligner: new PieceAligner({ text: event.text, startSeconds }),
        offsetSamples: event.offsetSamples,
      };
      this.#learn(silentCharacters(this.#source.before(event.text), startSeconds), startSeconds);
    } else if (this.#piece !== null && event.type === "words") {
      const { aligner } = this.#piece;
      this.#learn(aligner.words(event.words), aligner.knownSeconds);
    } else if (this.#piece !== null && event.type === "chunk-ended") {
      const { aligner, offsetSamples } = this.#piece;
      this.#piece = null;
      this.#learn(aligner.end(event.samples / sampleRate), (offsetSamples + event.samples) / sampleRate);
    }
    return this.#release();
  }

  /** All text so far has been spoken: gives the audio that waited to fill a frame. */
  rest(): AlignedFrame[] {
    return this.#enqueue(this.#frames.rest());
  }

  /** The stream is over: gives everything, with the text after the last piece, which has no audio. */
  end(): AlignedFrame[] {
    this.#learn(silentCharacters(this.#source.remainder(), this.#endSeconds), Number.POSITIVE_INFINITY);
    const frames = this.rest();
    const last = this.#take(Number.POSITIVE_INFINITY);
    const lastFrame = frames.at(-1);
    if (last === null) return frames;
    if (lastFrame === undefined) return [{ audio: null, alignment: last }];
    lastFrame.alignment = lastFrame.alignment === null ? last : joinAlignments([lastFrame.alignment, last]);
    return frames;
  }

  #learn(alignment: CharacterAlignment, knownSeconds: number): void {
    // A word's end, in whole milliseconds, may lie after the last sample of its piece.
    const ordered = notBefore(alignment, this.#lastSeconds);
    this.#lastSeconds = ordered.endSeconds.at(-1) ?? this.#lastSeconds;
    this.#known = joinAlignments([this.#known, ordered]);
    this.#knownSeconds = Math.max(this.#knownSeconds, knownSeconds);
  }

  #enqueue(audio: Uint8Array | null): AlignedFrame[] {
    if (audio !== null) this.#waiting.push({ audio, endSeconds: this.#endSeconds });
    return this.#release();
  }

  #release(): AlignedFrame[] {
    const frames: AlignedFrame[] = [];
    for (
      let first = this.#waiting[0];
      first !== undefined && this.#isKnown(first.endSeconds);
      first = this.#waiting[0]
    ) {
      this.#waiting.shift();
      frames.push({ audio: first.audio, alignment: this.#take(first.endSeconds) });
    }
    return frames;
  }

  /**
   * Within a piece, characters that take no time may still come at the very place up to which all are known: a full
   * stop after the last word.
   */
  #isKnown(endSeconds: number): boolean {
    return this.#piece === null
      ? endSeconds <= this.#knownSeconds + TOLERANCE_SECONDS
      : endSeconds < this.#knownSeconds - TOLERANCE_SECONDS;
  }

  /**
   * The known characters that begin before a place; those that begin there too where no audio of their piece is left.
   */
  #take(endSeconds: number): CharacterAlignment | null {
    const { characters, startSeconds } = this.#known;
    const isAll = endSeconds >= this.#knownSeconds - TOLERANCE_SECONDS;
    const later = isAll ? -1 : startSeconds.findIndex((start) => start >= endSeconds);
    const count = later < 0 ? characters.length : later;
    if (count === 0) return null;
    const taken = slice(this.#known, 0, count);
    this.#known = slice(this.#known, count);
    return taken;
  }
}

function slice(
  { characters, startSeconds, endSeconds }: CharacterAlignment,
  from: number,
  to?: number,
): CharacterAlignment {
  return {
    characters: characters.slice(from, to),
    startSeconds: startSeconds.slice(from, to),
    endSeconds: endSeconds.slice(from, to),
  };
}

function nothing(): CharacterAlignment {
  return { characters: [], startSeconds: [], endSeconds: [] };
}
