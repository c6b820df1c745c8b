import type { Cancel, WorkChunk } from "#protocol/bus/scheduling";

/** Chunks that this worker has begun or holds in a batch, and the way to stop them. */
export class RunningChunks {
  readonly #entries = new Set<{ chunk: WorkChunk; abort: AbortController }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Registers a chunk; call `done` when its result is known. */
  add(chunk: WorkChunk): { signal: AbortSignal; done: () => void } {
    const entry = { chunk, abort: new AbortController() };
    this.#entries.add(entry);
    return { signal: entry.abort.signal, done: () => this.#entries.delete(entry) };
  }

  /** Stops the chunks that a cancellation names. */
  cancel({ streamId, fromChunk, toChunk = Number.POSITIVE_INFINITY }: Cancel): void {
    this.#abortWhere(
      (chunk) => chunk.streamId === streamId && chunk.chunkIndex >= fromChunk && chunk.chunkIndex <= toChunk,
    );
  }

  /** Stops everything that an edge waits for: nobody is there to receive it. */
  cancelEdge(ownerId: string): void {
    this.#abortWhere((chunk) => chunk.ownerId === ownerId);
  }

  cancelAll(): void {
    this.#abortWhere(() => true);
  }

  #abortWhere(matches: (chunk: WorkChunk) => boolean): void {
    for (const { chunk, abort } of this.#entries) if (matches(chunk)) abort.abort();
  }
}
