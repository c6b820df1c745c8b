import { limits } from "#protocol/limit-table";

/** What realtime sockets may hold: audio that waits for a commit, and commits that wait for their transcripts. */
export interface SocketAudioLimits {
  bytesPerSocket: number;
  commitsPerSocket: number;
  /** Of all sockets of one process together. */
  totalBytes: number;
  totalCommits: number;
}

/**
 * 100 MiB is the documented bound of one socket (docs/limits.md). While a commit is being transcribed, its audio exists
 * twice.
 */
export const socketAudioLimits: SocketAudioLimits = {
  bytesPerSocket: limits.socketAudioBytes.most,
  commitsPerSocket: limits.socketCommits.most,
  totalBytes: 128 * 1024 * 1024,
  totalCommits: 1024,
};

/**
 * Bounds the audio that all realtime sockets of one process hold. Unlike an upload, which can be held up before its
 * body is read, audio on a socket has arrived when its size is known: what does not fit is refused.
 */
export class SocketAudioBudget {
  readonly limits: SocketAudioLimits;
  #bytes = 0;
  #commits = 0;

  constructor(limits: SocketAudioLimits = socketAudioLimits) {
    this.limits = limits;
  }

  /** Bytes that are taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Commits that are under way now. */
  get commits(): number {
    return this.#commits;
  }

  /** Takes room for audio; false when there is none. */
  takeBytes(bytes: number): boolean {
    if (this.#bytes + bytes > this.limits.totalBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBytes(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Takes the place of a commit; false when there is none. */
  takeCommit(): boolean {
    if (this.#commits >= this.limits.totalCommits) return false;
    this.#commits++;
    return true;
  }

  giveCommit(): void {
    this.#commits--;
  }
}
