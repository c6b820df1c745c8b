import type { SpeechChunk } from "#protocol/speech/chunk";

/** Chunks that this worker has begun or holds in a batch, and the way to stop them. */
export class RunningChunks {
  readonly #entries = new Set<{ chunk: SpeechChunk; abort: AbortController }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Registers a chunk; call `done` when its result is known. */
  add(chunk: SpeechChunk): { signal: AbortSignal; done: () => void } {
    const entry = { chunk, abort: new AbortController() };
    this.#entries.add(entry);
    return { signal: entry.abort.signal, done: () => this.#entries.delete(entry) };
  }

  /** Stops a stream's chunks from an index on. */
  cancelStream(streamId: string, fromChunk: number): void {
    this.#abortWhere((chunk) => chunk.streamId === streamId && chunk.chunkIndex >= fromChunk);
  }

  /** Stops everything that an edge waits for: nobody is there to hear it. */
  cancelEdge(edgeId: string): void {
    this.#abortWhere((chunk) => chunk.edgeId === edgeId);
  }

  cancelAll(): void {
    this.#abortWhere(() => true);
  }

  #abortWhere(matches: (chunk: SpeechChunk) => boolean): void {
    for (const { chunk, abort } of this.#entries) if (matches(chunk)) abort.abort();
  }
}
