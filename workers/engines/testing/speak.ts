import {
  defaultSampling,
  neutralDelivery,
  type Delivery,
  type Sampling,
  type SpeechChunk,
  type VoiceSettings,
  type WordTiming,
} from "#protocol/speech/chunk";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";

/** A chunk for tests: neutral unless said otherwise. */
export function testChunk(
  text: string,
  change: Partial<Omit<SpeechChunk, "voice" | "delivery" | "sampling">> & {
    voice?: Partial<VoiceSettings>;
    delivery?: Partial<Delivery>;
    sampling?: Partial<Sampling>;
  } = {},
): SpeechChunk {
  return {
    task: "speak",
    streamId: "stream",
    chunkIndex: 0,
    attempt: 1,
    ownerId: "edge",
    model: "model",
    text,
    normalize: false,
    pauseAfterMs: 0,
    seed: 1,
    maxSamples: 0,
    traceparent: null,
    ...change,
    voice: { speaker: null, language: null, speed: 1, traits: null, ...change.voice },
    delivery: { ...neutralDelivery, ...change.delivery },
    sampling: { ...defaultSampling, ...change.sampling },
  };
}

/** Everything that speaking one chunk gave. */
export interface Spoken {
  result: ChunkResult;
  samples: Int16Array;
  words: WordTiming[];
  pieces: number;
}

/** Speaks chunks as one batch and collects what comes. */
export async function speakBatch(
  engine: SpeechEngine,
  chunks: SpeechChunk[],
  signals: AbortSignal[] = [],
): Promise<Spoken[]> {
  const collected = chunks.map(() => ({ pieces: [] as Int16Array[], words: [] as WordTiming[] }));
  const jobs = chunks.map(
    (chunk, i): ChunkJob => ({
      chunk,
      signal: signals[i] ?? new AbortController().signal,
      emit: ({ samples, words }) => {
        collected[i]?.pieces.push(samples);
        collected[i]?.words.push(...words);
      },
    }),
  );
  const results = await engine.speak(jobs);
  return collected.map(({ pieces, words }, i) => ({
    result: results[i] ?? { result: "failed", error: new RangeError("no result"), retryable: false },
    samples: Int16Array.from(pieces.flatMap((piece) => [...piece])),
    words,
    pieces: pieces.length,
  }));
}

export async function speakOne(engine: SpeechEngine, chunk: SpeechChunk): Promise<Spoken> {
  const [spoken] = await speakBatch(engine, [chunk]);
  if (spoken === undefined) throw new RangeError("a batch of one gives one");
  return spoken;
}
