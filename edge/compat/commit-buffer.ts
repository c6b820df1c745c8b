import type { SocketAudioBudget } from "../transcription/socket-audio-budget.js";
import { HeldAudio } from "./held-audio.js";

/** Why audio or a commit is refused; what the buffer holds stays as it is. */
export type BufferRefusal =
  /** Not base64. */
  | "malformed"
  /** This socket holds as much audio as one may. */
  | "socket full"
  /** As many commits of this socket wait as may. */
  | "commits waiting"
  /** The sockets of this process hold together as much as they may. */
  | "process full";

/** Audio that was committed. Its room is given back by `done` or `requeue`, whichever is called first. */
export interface AudioCommit {
  /** Complete: nothing is appended to it any more. */
  readonly audio: HeldAudio;
  /** The audio is not needed any more. */
  done(): void;
  /** The audio stands before everything that the buffer holds, unless the buffer was cleared since. */
  requeue(): void;
}

/**
 * The audio that one socket has sent and that has no transcript yet:
 *
 *     append ──► held ──commit──► under way ──done──► gone
 *                  ▲                  │
 *                  └────requeue───────┘ in the order of the commits, before what was appended since
 *
 * What is held and what is under way count together against the socket's bound, so that there is always room to put a
 * commit back.
 */
export class CommitBuffer {
  readonly #budget: SocketAudioBudget;
  /** What was put back, in the order of the commits; the audio that is held begins with it. */
  #returned: Uint8Array[] = [];
  #held = new HeldAudio();
  #underWayBytes = 0;
  #commits = 0;
  /** Counts the calls of `clear`: what was committed before is not put back after. */
  #clearings = 0;

  constructor(budget: SocketAudioBudget) {
    this.#budget = budget;
  }

  /** The audio that waits for a commit: another one after each commit, return and clearing. */
  get held(): HeldAudio {
    return this.#held;
  }

  /** Bytes that wait for a commit. */
  get bytes(): number {
    return this.#held.bytes;
  }

  /** Takes audio in, as base64 or as the bytes that it stood for; gives why not, and takes nothing then. */
  append(audio: unknown): BufferRefusal | null {
    const bytes = audio instanceof Uint8Array ? audio : bytesOf(audio);
    if (bytes === null) return "malformed";
    if (this.bytes + this.#underWayBytes + bytes.length > this.#budget.limits.bytesPerSocket) return "socket full";
    if (!this.#budget.takeBytes(bytes.length)) return "process full";
    this.#held.append(bytes);
    return null;
  }

  /** Forgets what is held, and what is under way where it would have been put back. */
  clear(): void {
    this.#clearings++;
    this.#budget.giveBytes(this.bytes);
    this.#hold([]);
  }

  /** Takes everything that is held; gives why not, and leaves it then. */
  commit(): AudioCommit | BufferRefusal {
    if (this.#commits >= this.#budget.limits.commitsPerSocket) return "commits waiting";
    if (!this.#budget.takeCommit()) return "process full";
    const audio = this.#held;
    const { bytes } = audio;
    audio.complete();
    this.#hold([]);
    const clearings = this.#clearings;
    this.#commits++;
    this.#underWayBytes += bytes;
    let isOver = false;
    const leave = (isStored: boolean): void => {
      if (isOver) return;
      isOver = true;
      this.#commits--;
      this.#underWayBytes -= bytes;
      this.#budget.giveCommit();
      if (!isStored || clearings !== this.#clearings) return this.#budget.giveBytes(bytes);
      const appended = this.#held.blocks().slice(this.#returned.length);
      this.#hold([...this.#returned, ...audio.blocks()], appended);
    };
    return { audio, done: () => leave(false), requeue: () => leave(true) };
  }

  #hold(returned: Uint8Array[], appended: readonly Uint8Array[] = []): void {
    this.#returned = returned;
    this.#held = new HeldAudio([...returned, ...appended]);
  }
}

function bytesOf(base64: unknown): Uint8Array | null {
  if (typeof base64 !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 === 1) return null;
  return Buffer.from(base64, "base64");
}
