import type { WordTiming } from "#protocol/speech/chunk";

interface SpokenWord {
  startSample: number;
  endSample: number;
  /** End of the word in the reply's text, UTF-16 units. */
  textEnd: number;
}

interface SpokenChunk {
  startSample: number;
  /** Place of its text in the reply's. */
  textStart: number;
  textEnd: number;
  hasWords: boolean;
}

/**
 * The audio of one reply as it is made, and which samples say which of its words. Pure bookkeeping; positions count
 * samples from the reply's start.
 */
export class ReplyAudio {
  readonly sampleRate: number;
  #text = "";
  /** Where the next chunk's text is looked for. */
  #cursor = 0;
  readonly #pieces: { start: number; samples: Int16Array }[] = [];
  readonly #chunks = new Map<number, SpokenChunk>();
  readonly #words: SpokenWord[] = [];
  #length = 0;
  #isComplete = false;

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
  }

  /** Samples so far. */
  get length(): number {
    return this.#length;
  }

  /** All audio of the reply has come. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** UTF-16 units of text that the reply was given. */
  get textLength(): number {
    return this.#text.length;
  }

  addText(text: string): void {
    this.#text += text;
  }

  /** A chunk's audio begins; `text` is what it says, without tags. */
  chunkStarted(chunkIndex: number, text: string, startSample: number): void {
    const found = this.#text.indexOf(text, this.#cursor);
    // Where the chunker has changed blanks, the words come in the same order all the same.
    const textStart = found === -1 ? this.#cursor : found;
    const textEnd = Math.min(this.#text.length, textStart + text.length);
    this.#cursor = textEnd;
    this.#chunks.set(chunkIndex, { startSample, textStart, textEnd, hasWords: false });
  }

  words(chunkIndex: number, words: readonly WordTiming[]): void {
    const chunk = this.#chunks.get(chunkIndex);
    if (chunk === undefined) return;
    chunk.hasWords ||= words.length > 0;
    for (const { startMs, endMs, sourceEnd } of words) {
      this.#words.push({
        startSample: chunk.startSample + this.#samples(startMs),
        endSample: chunk.startSample + this.#samples(endMs),
        textEnd: Math.min(chunk.textEnd, chunk.textStart + sourceEnd),
      });
    }
  }

  /** A chunk is known in full: an engine that times no words has said it all by its end. */
  chunkEnded(chunkIndex: number): void {
    const chunk = this.#chunks.get(chunkIndex);
    if (chunk === undefined || chunk.hasWords) return;
    this.#words.push({ startSample: chunk.startSample, endSample: this.#length, textEnd: chunk.textEnd });
  }

  append(samples: Int16Array): void {
    this.#pieces.push({ start: this.#length, samples });
    this.#length += samples.length;
  }

  /** No more audio follows the last of it. */
  complete(last: Int16Array = new Int16Array(0)): void {
    if (last.length > 0) this.append(last);
    this.#isComplete = true;
  }

  /** At most `count` samples from a position on; none where there are none yet. */
  read(position: number, count: number): Int16Array {
    const piece = this.#pieces.findLast(({ start }) => start <= position);
    if (piece === undefined) return new Int16Array(0);
    return piece.samples.subarray(position - piece.start, position - piece.start + count);
  }

  /** How much of the text has been heard, in UTF-16 units, when the samples before `position` were played: whole words. */
  playedCharacters(position: number): number {
    return this.#words.findLast(({ endSample }) => endSample <= position)?.textEnd ?? 0;
  }

  /** UTF-16 units of the chunks that begin before `position`. */
  charactersBegun(position: number): number {
    return [...this.#chunks.values()].reduce(
      (sum, { startSample, textStart, textEnd }) => sum + (startSample < position ? textEnd - textStart : 0),
      0,
    );
  }

  /** Where to go on after a pause at `position`: at the beginning of the word that was cut. */
  resumeAt(position: number): number {
    const cut = this.#words.find(({ startSample, endSample }) => startSample < position && position < endSample);
    return cut?.startSample ?? position;
  }

  #samples(ms: number): number {
    return Math.round((ms / 1000) * this.sampleRate);
  }
}
