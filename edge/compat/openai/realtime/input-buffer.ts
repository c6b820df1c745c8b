import { ServiceError } from "#protocol/errors";
import type { AudioCommit, BufferRefusal } from "../../commit-buffer.js";
import { SocketTranscription, type SocketTranscriptionOptions } from "../../socket-transcription.js";
import type { RealtimeFormat } from "./audio-format.js";
import { realtimeError } from "./realtime-error.js";

/** Least audio worth a commit: OpenAI's own limit. */
const MIN_PCM_MS = 100;

/** The input buffer of a session, with its refusals: after each the session goes on and the buffer is as it was. */
export class InputBuffer {
  readonly #budget: SocketTranscriptionOptions["budget"];
  readonly #transcription: SocketTranscription;

  constructor(options: SocketTranscriptionOptions) {
    this.#budget = options.budget;
    this.#transcription = new SocketTranscription(options);
  }

  /** Takes base64 in. Throws a `realtimeError`, or `overloaded` when the server has no room. */
  append(audio: unknown): void {
    const refusal = this.#transcription.append(audio);
    if (refusal !== null) throw this.#errorOf(refusal);
  }

  clear(): void {
    this.#transcription.clear();
  }

  /** The session is over: ends all work. */
  close(): void {
    this.#transcription.close();
  }

  /** As `SocketTranscription.transcribe`. */
  transcribe(...turn: Parameters<SocketTranscription["transcribe"]>): void {
    this.#transcription.transcribe(...turn);
  }

  /**
   * Takes what the buffer holds. Throws a `realtimeError` when that is too little or too many commits wait, or
   * `overloaded`.
   */
  commit({ format, rate }: RealtimeFormat): AudioCommit {
    const leastBytes = format === "pcm" ? (rate * 2 * MIN_PCM_MS) / 1000 : 1;
    if (this.#transcription.bytes < leastBytes)
      throw realtimeError("input_audio_buffer_commit_empty", `A commit needs at least ${MIN_PCM_MS} ms of audio`);
    const commit = this.#transcription.commit();
    if (typeof commit === "string") throw this.#errorOf(commit);
    return commit;
  }

  #errorOf(refusal: BufferRefusal): ServiceError {
    const { bytesPerSocket, commitsPerSocket } = this.#budget.limits;
    switch (refusal) {
      case "malformed":
        return realtimeError("invalid_audio", "audio is base64", "audio");
      case "socket full":
        return realtimeError(
          "input_audio_buffer_full",
          `At most ${bytesPerSocket} bytes may wait for a commit and for transcripts`,
          "audio",
        );
      case "commits waiting":
        return realtimeError(
          "rate_limit_exceeded",
          `At most ${commitsPerSocket} commits may wait for their transcripts`,
        );
      case "process full":
        return new ServiceError("overloaded", { reason: "rate_limit_exceeded" });
    }
  }
}
