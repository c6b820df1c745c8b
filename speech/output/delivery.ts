import type { ChunkEvent } from "./output.js";

/**
 * Counts what a client has been given: the audio, and the text of the chunks whose audio has begun. It is what a
 * request is charged for.
 */
export class Delivery {
  #characters = 0;
  /** Of chunks without a byte of audio yet. */
  #announcedCharacters = 0;
  #audioMs = 0;
  #announcedMs = 0;

  /** Characters of the source text, UTF-16 units. */
  get characters(): number {
    return this.#characters;
  }

  /** Length of the audio, whole milliseconds. */
  get audioMs(): number {
    return Math.round(this.#audioMs);
  }

  chunk(event: ChunkEvent): void {
    if (event.type === "chunk-started") this.#announcedCharacters += event.text.length;
  }

  /** The bytes that come next hold audio up to this place, seconds. */
  encodedTo(endSeconds: number): void {
    this.#announcedMs = endSeconds * 1000;
  }

  /** Bytes were given. Encoders hold some milliseconds back: what was announced counts with the next byte. */
  bytes(): void {
    this.#characters += this.#announcedCharacters;
    this.#announcedCharacters = 0;
    this.#audioMs = this.#announcedMs;
  }
}
