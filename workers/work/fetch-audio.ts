import { ownerAudioRequestSubject, type AudioReply, type AudioRequest } from "#protocol/bus/recognition";
import { ServiceError } from "#protocol/errors";
import type { AudioChunk } from "#protocol/transcription/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { Bus } from "#common/bus/bus";
import type { RecognitionResult } from "../engines/recognizer.js";

/** How long the owner of a chunk may take to hand its samples over. */
const FETCH_TIMEOUT_MS = 3000;

/** The samples of a chunk, or what has become of it instead. */
export type FetchedAudio =
  | { result: "samples"; samples: Int16Array }
  | Extract<RecognitionResult, { result: "cancelled" | "failed" }>;

/**
 * Asks a chunk's owner for its samples. `cancelled` when the owner waits for the chunk no more, or when `signal`
 * aborts; an owner that does not answer in time may be answering again at the next attempt. Never rejects.
 */
export async function fetchAudio(bus: Bus, chunk: AudioChunk, signal: AbortSignal): Promise<FetchedAudio> {
  if (signal.aborted) return { result: "cancelled" };
  const { streamId, chunkIndex, ownerId } = chunk;
  const question: AudioRequest = { type: "audio-request", streamId, chunkIndex };
  const answer = bus
    .request<AudioReply>(ownerAudioRequestSubject(ownerId), question, {
      timeoutMs: FETCH_TIMEOUT_MS,
      dependency: "The owner of the audio",
    })
    .then((reply) => taken(chunk, reply))
    .catch((error: unknown): FetchedAudio => ({ result: "failed", error, retryable: true }));
  let stopped: () => void = () => undefined;
  const cancelled = new Promise<FetchedAudio>((resolve) => (stopped = () => resolve({ result: "cancelled" })));
  signal.addEventListener("abort", stopped, { once: true });
  try {
    return await Promise.race([answer, cancelled]);
  } finally {
    signal.removeEventListener("abort", stopped);
  }
}

function taken(chunk: AudioChunk, reply: AudioReply): FetchedAudio {
  if (reply.type === "gone") return { result: "cancelled" };
  if (reply.pcm.byteLength === chunk.samples * 2) return { result: "samples", samples: bytesToSamples(reply.pcm) };
  const error = new ServiceError("internal", {
    cause: new RangeError(`${chunk.samples} samples announced, ${reply.pcm.byteLength} bytes came`),
  });
  return { result: "failed", error, retryable: false };
}
