import { MAX_BUFFERED_AUDIO_BYTES, SoundBuffer } from "../../sound-buffer.js";
import type { RealtimeFormat } from "./audio-format.js";
import { realtimeError } from "./realtime-error.js";

/** Least sound worth a commit: OpenAI's own limit. */
const MIN_PCM_MS = 100;

/** The input buffer of a session, with its refusals. */
export class InputBuffer {
  readonly #sound = new SoundBuffer();

  /** Takes base64 in. Throws a `realtimeError`. */
  append(audio: unknown): void {
    const outcome = this.#sound.append(audio);
    if (outcome === "malformed") throw realtimeError("invalid_audio", "audio is base64", "audio");
    if (outcome === "full") throw realtimeError("input_audio_buffer_full", `At most ${MAX_BUFFERED_AUDIO_BYTES} bytes may wait for a commit`, "audio");
  }

  clear(): void {
    this.#sound.clear();
  }

  /** Gives the sound as a file and empties the buffer. Throws a `realtimeError` when there is too little of it. */
  commit({ format, rate }: RealtimeFormat): Uint8Array {
    const leastBytes = format === "pcm" ? (rate * 2 * MIN_PCM_MS) / 1000 : 1;
    if (this.#sound.bytes < leastBytes) throw realtimeError("input_audio_buffer_commit_empty", `A commit needs at least ${MIN_PCM_MS} ms of sound`);
    return this.#sound.take(format === "pcm" ? rate : null);
  }
}
