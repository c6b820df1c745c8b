import type { MeasuredSample } from "#protocol/bus/samples";
import { PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { ServiceError } from "#protocol/errors";
import { decodeThrough } from "../decoding/decode-bytes.js";
import { createMonoFlow, joined, type MonoSink, type MonoSinkOptions } from "../decoding/mono-sink.js";
import { fromFloat, samplesToBytes, toFloat } from "../pcm.js";
import { createResampler, type Resampler } from "../resampling/resampler.js";
import { ANALYSIS_RATE } from "./levels.js";
import { joinPrompts, MAX_PROMPT_SAMPLES } from "./prompt.js";
import { MAX_REFERENCE_SECONDS, MIN_REFERENCE_SECONDS } from "./reference-limits.js";
import { measureConverted, unusable } from "./traits.js";

/** Decodes and measures a reference sample on this thread; see `measureVoiceSample`, which runs it on another. */
export async function measureVoiceBytes(bytes: Uint8Array): Promise<MeasuredSample> {
  const { samples, prompt, recordedRate, seconds } = await decodeReference(bytes);
  if (seconds < MIN_REFERENCE_SECONDS) throw unusable(`it is shorter than ${MIN_REFERENCE_SECONDS} second`);
  const traits = measureConverted(samples, recordedRate);
  return { traits, durationMs: Math.round(seconds * 1000), prompt: samplesToBytes(prompt) };
}

interface Reference {
  /** At `ANALYSIS_RATE`. */
  samples: Float32Array;
  /** The beginning, at `PROMPT_RATE`. */
  prompt: Int16Array;
  recordedRate: number;
  seconds: number;
}

async function decodeReference(bytes: Uint8Array): Promise<Reference> {
  const bounds = { maxSeconds: MAX_REFERENCE_SECONDS, sampleRate: null };
  try {
    return await decodeThrough(bytes, bounds, (format) => createReferenceSink({ ...bounds, format }));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unsupported_format") throw error;
    if (error.reason === "too_long") throw unusable(`it is longer than ${MAX_REFERENCE_SECONDS / 60} minutes`, error);
    throw unusable(String(error.parameters.detail), error);
  }
}

/**
 * Converts to `ANALYSIS_RATE` while decoding: at its own rate a reference of five minutes may take ten times the
 * memory.
 */
function createReferenceSink(options: MonoSinkOptions): MonoSink & { finish(): Reference } {
  const parts: Float32Array[] = [];
  const at: { resampler: Resampler | null } = { resampler: null };
  const prompt = collectPrompt();
  const flow = createMonoFlow(options, (block, sampleRate) => {
    at.resampler ??= createResampler(sampleRate, ANALYSIS_RATE);
    const audio = toFloat(block);
    prompt.add(audio, sampleRate);
    return parts.push(at.resampler.process(audio).slice()) > 0;
  });
  return {
    add: flow.add,
    finish() {
      const { seconds, sampleRate } = flow.finish();
      if (at.resampler !== null) parts.push(at.resampler.flush());
      return { samples: joined(parts), prompt: prompt.finish(), recordedRate: sampleRate, seconds };
    },
  };
}

/** Converts the beginning of a reference to `PROMPT_RATE`. */
function collectPrompt(): { add(audio: Float32Array, sampleRate: number): void; finish(): Int16Array } {
  const parts: Int16Array[] = [];
  let resampler: Resampler | null = null;
  let samples = 0;
  const keep = (audio: Float32Array): void => {
    parts.push(fromFloat(audio));
    samples += audio.length;
  };
  return {
    add(audio, sampleRate) {
      resampler ??= createResampler(sampleRate, PROMPT_RATE);
      if (samples < MAX_PROMPT_SAMPLES) keep(resampler.process(audio));
    },
    finish() {
      if (resampler !== null && samples < MAX_PROMPT_SAMPLES) keep(resampler.flush());
      return joinPrompts(parts);
    },
  };
}
