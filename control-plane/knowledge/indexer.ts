import { Piscina } from "piscina";
import { ServiceError } from "#protocol/errors";
import { type IndexedChunk, indexText } from "./index-text.js";

/**
 * Texts up to this length are indexed where they are read: they take some milliseconds, as handing them to a thread
 * does.
 */
const MAX_INLINE_CHARACTERS = 16 * 1024;
/** The largest text takes half a second. */
const MAX_INDEX_MS = 30_000;
const MAX_QUEUE = 64;
const IDLE_MS = 60_000;
/** A small young generation has what the last text made collected soon. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

let pool: Piscina | null = null;

/** Made at the first large text. An idle thread does not keep the process alive. */
function indexPool(): Piscina {
  pool ??= new Piscina({
    filename: new URL("./index-thread.js", import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: HEAP_LIMITS,
  });
  return pool;
}

/**
 * `indexText`, a large text on a thread of its own: everybody else's requests go on. Throws `overloaded` when too many
 * texts wait or one takes too long.
 */
export async function indexOnThread(text: string): Promise<IndexedChunk[]> {
  if (text.length <= MAX_INLINE_CHARACTERS) return indexText(text);
  try {
    return (await indexPool().run({ text }, { signal: AbortSignal.timeout(MAX_INDEX_MS) })) as IndexedChunk[];
  } catch (cause) {
    throw new ServiceError("overloaded", { cause });
  }
}

/** Ends the thread; a later text starts another. */
export async function closeIndexThread(): Promise<void> {
  const closing = pool;
  pool = null;
  await closing?.destroy();
}
