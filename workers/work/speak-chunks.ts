import { ownerAudioSubject } from "#protocol/bus/audio";
import { type Batch, type ChunkOutcome, workSize } from "#protocol/bus/scheduling";
import { ServiceError } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { Bus } from "#common/bus/bus";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engines/engine.js";
import type { BatchContext } from "./batch-context.js";
import { chunkFailed, missingModel } from "./chunk-failure.js";
import { fetchPrompt } from "./fetch-prompt.js";
import { FrameSender } from "./frame-sender.js";
import { convertRate } from "./rate-conversion.js";

/**
 * Speaks the chunks of a batch: frames go to the edges as they are made. Gives the outcomes in the chunks' order; never
 * rejects.
 */
export async function speakChunks(
  { model, reserved = false }: Pick<Batch, "model" | "reserved">,
  chunks: { chunk: SpeechChunk; queuedUs: number }[],
  context: BatchContext,
): Promise<ChunkOutcome[]> {
  if (chunks.length === 0) return [];
  const { bus, clock, workerId, running } = context;
  const engine = context.speakerOf(model);
  const sampleRate = engine?.describe().sampleRate ?? 0;
  const held = chunks.map(({ chunk, queuedUs }) => {
    const streamRate = chunk.sampleRate ?? sampleRate;
    const sender = new FrameSender({ bus, clock, workerId, chunk, sampleRate: streamRate, queuedUs });
    const conversion = convertRate(sampleRate, streamRate, (piece) => sender.send(piece));
    const { signal, done } = running.add(chunk);
    const job: ChunkJob = {
      chunk: { ...chunk, maxSamples: Math.ceil((chunk.maxSamples * sampleRate) / streamRate) },
      signal,
      reserved,
      emit: (piece) => conversion.send(piece),
      ...promptOf(bus, chunk),
    };
    return { chunk, sender, conversion, done, job };
  });
  const jobs = held.map(({ job }) => job);
  const results: ChunkResult[] =
    engine === undefined ? held.map(() => missingModel(model)) : await speakSafely(engine, jobs);
  return held.map(({ chunk, sender, conversion, done }, i): ChunkOutcome => {
    done();
    const result: ChunkResult = results[i] ?? {
      result: "failed",
      error: new ServiceError("engine_failed"),
      retryable: true,
    };
    if (result.result === "spoken") {
      conversion.finish();
      sender.finish();
    } else sender.discard();
    if (result.result === "failed")
      bus.publish(ownerAudioSubject(chunk.ownerId), chunkFailed(chunk, result, context.log));
    const outcome: ChunkOutcome = {
      streamId: chunk.streamId,
      chunkIndex: chunk.chunkIndex,
      attempt: chunk.attempt,
      result: result.result,
      size: workSize(chunk),
      engineUs: sender.elapsedUs,
      samples: result.result === "spoken" ? result.samples : 0,
    };
    context.telemetry.chunkDone(chunk, outcome, sampleRate);
    return outcome;
  });
}

function promptOf(bus: Bus, chunk: SpeechChunk): Pick<ChunkJob, "prompt"> {
  const { prompt } = chunk.voice;
  return prompt === undefined ? {} : { prompt: () => fetchPrompt(bus, prompt, chunk.ownerId) };
}

/** Engines never reject by contract; one that does must still not cost the batch its answer. */
async function speakSafely(engine: SpeechEngine, jobs: ChunkJob[]): Promise<ChunkResult[]> {
  try {
    return await engine.speak(jobs);
  } catch (error) {
    return jobs.map(() => ({ result: "failed", error, retryable: true }));
  }
}
