import { setImmediate as nextTurn } from "node:timers/promises";
import { wavHeader } from "#audio/encoding/pcm-codec";
import type { SocketAudioBudget } from "../transcription/socket-audio-budget.js";

/** Audio that came in smaller parts is put together to blocks of this size: clients may send a few bytes at a time. */
const BLOCK_BYTES = 64 * 1024;

/** Copied in one turn of the event loop. */
const TURN_BYTES = 1024 * 1024;

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
  /** How long its file will be. */
  readonly bytes: number;
  /**
   * Everything as one file; bare samples get a header with their rate. To be called when its turn has come: the file is
   * a copy, made in small steps so that nobody waits for a hundred megabytes. An aborted signal rejects with its
   * reason.
   */
  file(sampleRate: number | null, signal: AbortSignal): Promise<Uint8Array>;
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
  /** Blocks that were put back, in the order of their commits, then those that were appended. */
  #returned: Uint8Array[] = [];
  #blocks: Uint8Array[] = [];
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #heldBytes = 0;
  #underWayBytes = 0;
  #commits = 0;
  /** Counts the calls of `clear`: what was committed before is not put back after. */
  #clearings = 0;

  constructor(budget: SocketAudioBudget) {
    this.#budget = budget;
  }

  /** Bytes that wait for a commit. */
  get bytes(): number {
    return this.#heldBytes;
  }

  /** Takes audio in, as base64 or as the bytes that it stood for; gives why not, and takes nothing then. */
  append(audio: unknown): BufferRefusal | null {
    const bytes = audio instanceof Uint8Array ? audio : bytesOf(audio);
    if (bytes === null) return "malformed";
    if (this.#heldBytes + this.#underWayBytes + bytes.length > this.#budget.limits.bytesPerSocket) return "socket full";
    if (!this.#budget.takeBytes(bytes.length)) return "process full";
    this.#heldBytes += bytes.length;
    this.#tailBytes += bytes.length;
    if (bytes.length > 0) this.#tail.push(bytes);
    if (this.#tailBytes >= BLOCK_BYTES) this.#closeBlock();
    return null;
  }

  /** Forgets what is held, and what is under way where it would have been put back. */
  clear(): void {
    this.#clearings++;
    this.#budget.giveBytes(this.#heldBytes);
    this.#empty();
  }

  /** Takes everything that is held; gives why not, and leaves it then. */
  commit(): AudioCommit | BufferRefusal {
    if (this.#commits >= this.#budget.limits.commitsPerSocket) return "commits waiting";
    if (!this.#budget.takeCommit()) return "process full";
    this.#closeBlock();
    const blocks = [...this.#returned, ...this.#blocks];
    const bytes = this.#heldBytes;
    const clearings = this.#clearings;
    this.#empty();
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
      this.#returned.push(...blocks);
      this.#heldBytes += bytes;
    };
    return {
      bytes,
      file: (sampleRate, signal) => joined(sampleRate === null ? blocks : [wavHeader(sampleRate), ...blocks], signal),
      done: () => leave(false),
      requeue: () => leave(true),
    };
  }

  #empty(): void {
    this.#returned = [];
    this.#blocks = [];
    this.#tail = [];
    this.#tailBytes = 0;
    this.#heldBytes = 0;
  }

  #closeBlock(): void {
    if (this.#tail.length > 0)
      this.#blocks.push(this.#tail.length === 1 ? (this.#tail[0] as Uint8Array) : Buffer.concat(this.#tail));
    this.#tail = [];
    this.#tailBytes = 0;
  }
}

async function joined(parts: readonly Uint8Array[], signal: AbortSignal): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let [at, turnEndsAt] = [0, TURN_BYTES];
  for (const part of parts) {
    if (at >= turnEndsAt) {
      await nextTurn();
      signal.throwIfAborted();
      turnEndsAt = at + TURN_BYTES;
    }
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf(base64: unknown): Uint8Array | null {
  if (typeof base64 !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 === 1) return null;
  return Buffer.from(base64, "base64");
}
