import type { AudioFrame } from "#protocol/bus/audio";
import type { WordTiming } from "#protocol/speech/chunk";
import { bytesToSamples } from "#audio/pcm";

/**
 * The audio of one chunk as it comes in, from any attempt. Content is deterministic, so frames of different attempts
 * continue each other:
 *
 *     attempt 1  [0 ........ 4000)            its worker died
 *     attempt 2  [0 .. 2000)[2000 ........ 6000)
 *     taken      [0 ........ 4000)     [4000 . 6000)
 */
export class ChunkAssembler {
  #nextSample = 0;
  #totalSamples: number | null = null;
  #sampleRate = 0;
  #untaken: Int16Array[] = [];
  #words: WordTiming[] = [];
  #newWords: WordTiming[] = [];

  /** Samples received without a gap. */
  get samples(): number {
    return this.#nextSample;
  }

  /** Hz; 0 before the first frame. */
  get sampleRate(): number {
    return this.#sampleRate;
  }

  get complete(): boolean {
    return this.#totalSamples !== null && this.#nextSample >= this.#totalSamples;
  }

  /**
   * Takes a frame in. `gap`: samples before it are missing. `rate`: its rate contradicts the earlier frames. `old`:
   * nothing new in it.
   */
  accept(frame: AudioFrame): "progress" | "old" | "gap" | "rate" {
    if (this.complete) return "old";
    if (this.#sampleRate !== 0 && frame.sampleRate !== this.#sampleRate) return "rate";
    if (frame.firstSample > this.#nextSample) return "gap";
    this.#sampleRate = frame.sampleRate;
    for (const word of frame.words) this.#addWord(word);
    const end = frame.firstSample + Math.floor(frame.pcm.byteLength / 2);
    if (frame.last) this.#totalSamples = end;
    if (end <= this.#nextSample) return frame.last ? "progress" : "old";
    // The copy is needed anyway: the bytes may be unaligned, and the encoder takes its samples' memory away.
    this.#untaken.push(bytesToSamples(frame.pcm.subarray((this.#nextSample - frame.firstSample) * 2)));
    this.#nextSample = end;
    return "progress";
  }

  /** The samples that came since the last call, in order; the caller owns them. */
  takeSamples(): Int16Array[] {
    return this.#untaken.splice(0);
  }

  /** The words that became known since the last call. */
  takeWords(): WordTiming[] {
    return this.#newWords.splice(0);
  }

  #addWord(word: WordTiming): void {
    const same = (other: WordTiming): boolean =>
      other.startMs === word.startMs && other.sourceStart === word.sourceStart;
    if (this.#words.some(same)) return;
    this.#words.push(word);
    this.#newWords.push(word);
  }
}
