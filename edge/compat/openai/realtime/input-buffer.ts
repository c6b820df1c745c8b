import { ServiceError } from "#protocol/errors";
import type { SocketAudioBudget } from "../../../transcription/socket-audio-budget.js";
import { type AudioCommit, type BufferRefusal, CommitBuffer } from "../../commit-buffer.js";
import type { RealtimeFormat } from "./audio-format.js";
import { realtimeError } from "./realtime-error.js";

/** Least audio worth a commit: OpenAI's own limit. */
const MIN_PCM_MS = 100;

/** The input buffer of a session, with its refusals: after each the session goes on and the buffer is as it was. */
export class InputBuffer {
  readonly #buffer: CommitBuffer;
  readonly #budget: SocketAudioBudget;

  constructor(budget: SocketAudioBudget) {
    this.#budget = budget;
    this.#buffer = new CommitBuffer(budget);
  }

  /** Takes base64 in. Throws a `realtimeError`, or `overloaded` when the server has no room. */
  append(audio: unknown): void {
    const refusal = this.#buffer.append(audio);
    if (refusal !== null) throw this.#errorOf(refusal);
  }

  clear(): void {
    this.#buffer.clear();
  }

  /**
   * Takes what the buffer holds. Throws a `realtimeError` when that is too little or too many commits wait, or
   * `overloaded`.
   */
  commit({ format, rate }: RealtimeFormat): AudioCommit {
    const leastBytes = format === "pcm" ? (rate * 2 * MIN_PCM_MS) / 1000 : 1;
    if (this.#buffer.bytes < leastBytes)
      throw realtimeError("input_audio_buffer_commit_empty", `A commit needs at least ${MIN_PCM_MS} ms of audio`);
    const commit = this.#buffer.commit();
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
