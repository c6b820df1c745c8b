import type { WordTiming } from "#protocol/speech/chunk";
import type { ChunkAlignment } from "#protocol/speech/timestamps";
import type { ChunkEvent } from "#speech/output/output";

/** The chunk that the audio given now belongs to, and which of its words the client has seen. */
export class CurrentChunk {
  #index = 0;
  #text = "";
  #offsetSeconds = 0;
  #durationSeconds = 0;
  #words: WordTiming[] = [];
  #hasNews = false;

  /** Whether the client has yet to see the newest words or duration. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /**
   * Takes what is known of the text. Gives whether the client must see it now: the encoder may hold the chunk's last
   * audio back, and its timing must not wait for the next chunk, which replaces it.
   */
  take(event: ChunkEvent, sampleRate: number): boolean {
    if (event.type === "chunk-started") {
      this.#index = event.chunkIndex;
      this.#text = event.text;
      this.#offsetSeconds = event.offsetSamples / sampleRate;
      this.#durationSeconds = 0;
      this.#words = [];
      this.#hasNews = false;
      return false;
    }
    if (event.type === "words") {
      this.#words = [...this.#words, ...event.words].sort((a, b) => a.startMs - b.startMs);
      this.#durationSeconds = Math.max(this.#durationSeconds, ...event.words.map((word) => word.endMs / 1000));
      this.#hasNews = true;
      return false;
    }
    const durationSeconds = event.samples / sampleRate;
    if (Math.abs(durationSeconds - this.#durationSeconds) >= 0.001) this.#hasNews = true;
    this.#durationSeconds = durationSeconds;
    return this.#hasNews;
  }

  /** As the client sees it, from now on seen. */
  show(): ChunkAlignment {
    this.#hasNews = false;
    const segments = this.#words.map((word) => ({
      text: word.text,
      start: rounded(word.startMs / 1000),
      end: rounded(word.endMs / 1000),
    }));
    return {
      content: this.#text,
      alignment: segments.length === 0 ? null : { segments, audio_duration: rounded(this.#durationSeconds) },
      chunk_seq: this.#index,
      chunk_audio_offset_sec: rounded(this.#offsetSeconds),
    };
  }
}

/** Tenths of a millisecond: finer than any ear or sample, without the digits of binary fractions. */
const rounded = (seconds: number): number => Math.round(seconds * 10_000) / 10_000;
