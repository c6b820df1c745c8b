import { Piscina } from "piscina";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import { decodeBodyHere, type EncodedBody } from "./body-encoding.js";
import type { DecodedBody } from "./body-decoder-thread.js";

/** Bodies up to this size are decoded where they are read: handing them to a thread would take longer. */
export const MAX_INLINE_BYTES = 64 * 1024;

/** Longest that decoding may take; the largest body takes half a second. */
const MAX_DECODE_MS = 10_000;
const MAX_QUEUE = 64;
const IDLE_MS = 60_000;
/** One thread, and memory for the largest body: its text, and what is made of it. */
const HEAP_MEGABYTES = 256;

let pool: Piscina | null = null;

/** Made at the first large body. An idle thread does not keep the process alive. */
function decoderPool(): Piscina {
  pool ??= new Piscina({
    filename: new URL("./body-decoder-thread.js", import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  return pool;
}

/**
 * Decodes a whole body, a large one on a thread of its own: a hostile megabyte takes a second. The value is a
 * stranger's: validate it before use. The memory of its bytes may be gone afterwards. Throws `malformed_json` and
 * `malformed_msgpack` for what cannot be decoded, nests deeper than `MAX_NESTING` or has more than `MAX_VALUES` values,
 * and `overloaded` when too many large bodies wait.
 */
export async function decodeBody(body: EncodedBody): Promise<unknown> {
  const { bytes } = body;
  if (bytes.byteLength <= MAX_INLINE_BYTES) return decodeBodyHere(body);
  // A view on memory that others use too cannot be given away.
  const own =
    bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
  const decoded = await runDecoder({ ...body, bytes: own });
  if ("error" in decoded) throw fromErrorRecord(decoded.error);
  return decoded.value;
}

async function runDecoder(body: EncodedBody): Promise<DecodedBody> {
  try {
    const signal = AbortSignal.timeout(MAX_DECODE_MS);
    return (await decoderPool().run(body, { transferList: [body.bytes.buffer as ArrayBuffer], signal })) as DecodedBody;
  } catch (cause) {
    // The queue is full, or the thread is out of memory or time: nobody knows what the body says.
    throw new ServiceError("overloaded", { cause });
  }
}

/** Ends the thread; a later body starts another. */
export async function closeBodyDecoder(): Promise<void> {
  const closing = pool;
  pool = null;
  await closing?.destroy();
}
