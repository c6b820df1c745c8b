import { wavHeader } from "#common/audio/encoding/pcm-codec";

/** Most sound that may wait for its commit (protocols.md 3.5). */
export const MAX_BUFFERED_AUDIO_BYTES = 100 * 1024 * 1024;

/** Sound that a client has sent and not committed. */
export class SoundBuffer {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes base64 in. `malformed` is what is no base64, `full` what is too much; nothing is taken then. */
  append(base64: unknown): "taken" | "malformed" | "full" {
    if (typeof base64 !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 === 1) return "malformed";
    const bytes = Buffer.from(base64, "base64");
    if (this.#bytes + bytes.length > MAX_BUFFERED_AUDIO_BYTES) return "full";
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    return "taken";
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }

  /** Gives everything as one file and empties the buffer; bare samples get a header with their rate. */
  take(samplesRate: number | null): Uint8Array {
    const file = Buffer.concat(samplesRate === null ? this.#parts : [wavHeader(samplesRate), ...this.#parts]);
    this.clear();
    return file;
  }
}
