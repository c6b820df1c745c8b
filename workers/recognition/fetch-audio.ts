import { ownerSoundSubject, type SoundReply, type SoundRequest } from "#protocol/bus/recognition";
import { ServiceError } from "#protocol/errors";
import type { SoundChunk } from "#protocol/transcription/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { Bus } from "#common/bus/bus";
import type { SoundResult } from "../engines/recognizer.js";

/** How long the owner of a chunk may take to hand its samples over. */
const FETCH_TIMEOUT_MS = 3000;

/** The samples of a chunk, or what has become of it instead. */
export type FetchedSound =
  | { result: "samples"; samples: Int16Array }
  | Extract<SoundResult, { result: "cancelled" | "failed" }>;

/**
 * Asks a chunk's owner for its samples. `cancelled` when the owner waits for the chunk no more, or when `signal`
 * aborts; an owner that does not answer in time may be answering again at the next attempt. Never rejects.
 */
export async function fetchSound(bus: Bus, chunk: SoundChunk, signal: AbortSignal): Promise<FetchedSound> {
  if (signal.aborted) return { result: "cancelled" };
  const { streamId, chunkIndex, edgeId } = chunk;
  const question: SoundRequest = { type: "sound-request", streamId, chunkIndex };
  const answer = bus
    .request<SoundReply>(ownerSoundSubject(edgeId), question, {
      timeoutMs: FETCH_TIMEOUT_MS,
      dependency: "The sound's owner",
    })
    .then((reply) => taken(chunk, reply))
    .catch((error: unknown): FetchedSound => ({ result: "failed", error, retryable: true }));
  let stopped: () => void = () => undefined;
  const cancelled = new Promise<FetchedSound>((resolve) => (stopped = () => resolve({ result: "cancelled" })));
  signal.addEventListener("abort", stopped, { once: true });
  try {
    return await Promise.race([answer, cancelled]);
  } finally {
    signal.removeEventListener("abort", stopped);
  }
}

function taken(chunk: SoundChunk, reply: SoundReply): FetchedSound {
  if (reply.type === "gone") return { result: "cancelled" };
  if (reply.pcm.byteLength === chunk.samples * 2) return { result: "samples", samples: bytesToSamples(reply.pcm) };
  const error = new ServiceError("internal", {
    cause: new RangeError(`${chunk.samples} samples announced, ${reply.pcm.byteLength} bytes came`),
  });
  return { result: "failed", error, retryable: false };
}
