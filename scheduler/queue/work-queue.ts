import type { Lane } from "./lane.js";
import { ModelQueue } from "./model-queue.js";
import { followAfter, type WaitingChunk } from "./waiting-chunk.js";

/** The queued chunks of one stream, by chunk index. The first of them stands in line; the others wait behind it. */
interface QueuedStream {
  readonly ownerId: string;
  readonly chunks: WaitingChunk[];
}

/** Chunk indices of a stream, both ends included; to the last one when `toChunk` is absent. */
export interface CancelledRange {
  streamId: string;
  fromChunk: number;
  toChunk?: number;
}

export interface CancelledChunks {
  dropped: WaitingChunk[];
  next: WaitingChunk | null;
}

/**
 * All waiting chunks. A stream stands in line once, with its lowest queued chunk: that keeps the order of its chunks by
 * construction, and a stream that hands in a whole book weighs no more than one that hands in a word: its next chunk is
 * not due before the player is through with the one before it.
 */
export class WorkQueue {
  readonly #yieldSlackMs: number;
  readonly #streams = new Map<string, QueuedStream>();
  readonly #streamsOfEdge = new Map<string, Set<string>>();
  readonly #models = new Map<string, ModelQueue>();
  readonly #queuedOfModel = new Map<string, number>();
  #size = 0;

  constructor(options: { yieldSlackMs: number }) {
    this.#yieldSlackMs = options.yieldSlackMs;
  }

  /** Chunks that wait, in line or behind their stream's first. */
  get size(): number {
    return this.#size;
  }

  queuedOf(model: string): number {
    return this.#queuedOfModel.get(model) ?? 0;
  }

  model(name: string): ModelQueue | undefined {
    return this.#models.get(name);
  }

  /** A stream's queued chunks, in order. */
  chunksOf(streamId: string): readonly WaitingChunk[] {
    return this.#streams.get(streamId)?.chunks ?? [];
  }

  /** The queued attempt of a chunk; 0 when it is not queued. */
  attemptOf(streamId: string, chunkIndex: number): number {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return 0;
    const found = stream.chunks[positionOf(stream.chunks, chunkIndex)];
    return found?.chunk.chunkIndex === chunkIndex ? found.chunk.attempt : 0;
  }

  /** Takes a chunk in; a lower attempt of the same chunk gives its place up. The caller has ruled out duplicates. */
  add(waiting: WaitingChunk, nowMs: number): void {
    const { streamId, chunkIndex, ownerId } = waiting.chunk;
    let stream = this.#streams.get(streamId);
    if (stream === undefined) {
      stream = { ownerId, chunks: [] };
      this.#streams.set(streamId, stream);
      const ofEdge = this.#streamsOfEdge.get(ownerId) ?? new Set();
      this.#streamsOfEdge.set(ownerId, ofEdge.add(streamId));
    }
    const position = positionOf(stream.chunks, chunkIndex);
    const present = stream.chunks[position];
    const replaces = present?.chunk.chunkIndex === chunkIndex;
    if (replaces) {
      this.#models.get(present.chunk.model)?.remove(present);
      this.#count(present, -1);
    }
    stream.chunks.splice(position, replaces ? 1 : 0, waiting);
    this.#count(waiting, 1);
    if (position > 0) return;
    const displaced = stream.chunks[1];
    if (displaced !== undefined) this.#models.get(displaced.chunk.model)?.remove(displaced);
    this.#modelQueue(waiting.chunk.model).enqueue(waiting, nowMs);
  }

  /**
   * Takes a chunk out to be worked on; gives the chunk of its stream that stands in line in its stead, if that is a new
   * one. The edge reckons slack from the audio that it has: it cannot count what is being spoken.
   */
  remove(waiting: WaitingChunk, nowMs: number): WaitingChunk | null {
    const { streamId, chunkIndex } = waiting.chunk;
    const stream = this.#streams.get(streamId);
    const position = stream === undefined ? -1 : positionOf(stream.chunks, chunkIndex);
    if (stream === undefined || stream.chunks[position] !== waiting) return null;
    stream.chunks.splice(position, 1);
    this.#models.get(waiting.chunk.model)?.remove(waiting);
    this.#count(waiting, -1);
    const next = stream.chunks[0];
    if (next === undefined) this.#purge(streamId, stream);
    else if (position === 0) {
      followAfter(next, waiting);
      this.#modelQueue(next.chunk.model).enqueue(next, nowMs);
      return next;
    }
    return null;
  }

  /**
   * Brings the deadline of a stream's first queued chunk forward to when its player runs dry, now that it is known how long
   * the chunk before it sounds: the edge has guessed that. Not of text that came after the player had run dry. Gives the
   * chunk when it has changed.
   */
  bringForward(streamId: string, chunkIndex: number, dryAtMs: number, nowMs: number): WaitingChunk | null {
    const head = this.#streams.get(streamId)?.chunks[0];
    if (head?.chunk.chunkIndex !== chunkIndex || head.submittedAtMs > dryAtMs || head.deadlineMs <= dryAtMs)
      return null;
    const line = this.#modelQueue(head.chunk.model);
    line.remove(head);
    head.startByMs -= head.deadlineMs - dryAtMs;
    head.deadlineMs = dryAtMs;
    line.enqueue(head, nowMs);
    return head;
  }

  /**
   * Drops a stream's chunks of a range of indices; gives them, and the chunk that stands in line instead, if that is a
   * new one.
   */
  cancel({ streamId, fromChunk, toChunk = Number.POSITIVE_INFINITY }: CancelledRange, nowMs: number): CancelledChunks {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return { dropped: [], next: null };
    const first = positionOf(stream.chunks, fromChunk);
    const dropped = stream.chunks.splice(first, Math.max(0, positionOf(stream.chunks, toChunk + 1) - first));
    for (const waiting of dropped) {
      this.#models.get(waiting.chunk.model)?.remove(waiting);
      this.#count(waiting, -1);
    }
    const next = stream.chunks[0];
    if (next === undefined) this.#purge(streamId, stream);
    if (next === undefined || dropped.length === 0 || first > 0) return { dropped, next: null };
    this.#modelQueue(next.chunk.model).enqueue(next, nowMs);
    return { dropped, next };
  }

  /**
   * Up to `count` chunks of a model that may go now, in service order: those in line, then pieces of audio that stand
   * behind them, the streams taking turns. Pieces of audio depend on nothing before them; speech comes in the order of
   * its chunks.
   */
  lookAhead(model: string, from: Lane, count: number): WaitingChunk[] {
    const found = this.#models.get(model)?.lookAhead(from, count) ?? [];
    const behind = found.flatMap(({ chunk }) =>
      chunk.task === "speak" ? [] : [this.#streams.get(chunk.streamId)?.chunks ?? []],
    );
    for (let depth = 1, more = true; more && found.length < count; depth += 1) {
      more = false;
      for (const chunks of behind) {
        const next = chunks[depth];
        if (next === undefined || found.length >= count) continue;
        more = true;
        if (next.chunk.model === model) found.push(next);
      }
    }
    return found;
  }

  /** Drops everything that an edge has queued. */
  dropEdge(ownerId: string): void {
    for (const streamId of [...(this.#streamsOfEdge.get(ownerId) ?? [])]) this.cancel({ streamId, fromChunk: 0 }, 0);
  }

  /** Everything that waits, stream by stream. For the rare occasions when all of it must go. */
  all(): WaitingChunk[] {
    return [...this.#streams.values()].flatMap((stream) => stream.chunks);
  }

  #purge(streamId: string, stream: QueuedStream): void {
    this.#streams.delete(streamId);
    const ofEdge = this.#streamsOfEdge.get(stream.ownerId);
    ofEdge?.delete(streamId);
    if (ofEdge?.size === 0) this.#streamsOfEdge.delete(stream.ownerId);
  }

  #modelQueue(model: string): ModelQueue {
    let queue = this.#models.get(model);
    if (queue === undefined) {
      queue = new ModelQueue(this.#yieldSlackMs);
      this.#models.set(model, queue);
    }
    return queue;
  }

  #count(waiting: WaitingChunk, change: 1 | -1): void {
    this.#size += change;
    this.#queuedOfModel.set(waiting.chunk.model, this.queuedOf(waiting.chunk.model) + change);
  }
}

/** First position whose chunk index is not below `chunkIndex`. */
function positionOf(chunks: readonly WaitingChunk[], chunkIndex: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunks[middle] as WaitingChunk).chunk.chunkIndex < chunkIndex) low = middle + 1;
    else high = middle;
  }
  return low;
}
