import { ServiceError } from "#protocol/errors";
import { toFloatInto } from "../pcm.js";
import { createResampler } from "../resampling/resampler.js";
import type { Codec } from "./codec.js";
import type { EncoderSpec } from "./encoder.js";
import { createLimiter, type Limiter } from "./limiter.js";
import { createMp3Codec } from "./mp3-codec.js";
import { createOpusCodec } from "./opus-codec.js";
import { createPcmCodec, createWavCodec } from "./pcm-codec.js";

/** One stream's way from samples to bytes, without threads: resample, gain, encode. */
export interface Pipeline {
  write(samples: Int16Array): Uint8Array;
  flush(): Uint8Array;
  finish(): Uint8Array;
  free(): void;
}

/** Samples that go through the stages at once: a worker's frame of 300 ms, and little working memory. */
const BLOCK_SAMPLES = 8192;

/** One block on its way, of whichever stream: new memory for each would have the collector run all the time. */
const blockMemory = new Float32Array(BLOCK_SAMPLES);

/** Gives the pipeline of `spec`. Throws `unsupported_format` for a rate or bitrate that the format does not know. */
export async function createPipeline(spec: EncoderSpec): Promise<Pipeline> {
  return pipelineOf(spec, await createCodec(spec));
}

/** The same for PCM and WAV, which need no codec to be loaded. */
export function createPlainPipeline(spec: EncoderSpec): Pipeline {
  return pipelineOf(spec, createPlainCodec(spec));
}

function pipelineOf(spec: EncoderSpec, codec: Codec): Pipeline {
  const resampler = createResampler(spec.inputSampleRate, spec.outputSampleRate);
  const limiter = createGain(spec);

  function write(samples: Int16Array): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let from = 0; from < samples.length; from += BLOCK_SAMPLES) {
      const block = samples.subarray(from, from + BLOCK_SAMPLES);
      toFloatInto(blockMemory, block);
      parts.push(...codec.encode(limiter.process(resampler.process(blockMemory.subarray(0, block.length)))));
    }
    return joined(parts);
  }

  function drain(): Uint8Array[] {
    const parts = codec.encode(limiter.process(resampler.flush()));
    parts.push(...codec.encode(limiter.flush()));
    return parts;
  }

  return {
    write,
    flush: () => joined([...drain(), ...codec.flush()]),
    finish: () => joined([...drain(), ...codec.finish()]),
    free: () => codec.free?.(),
  };
}

/**
 * The filter of the resampler may pass full scale between samples, so the limiter guards it too; otherwise 0 dB is no
 * stage at all.
 */
function createGain(spec: EncoderSpec): Limiter {
  if (spec.gainDb === 0 && spec.inputSampleRate === spec.outputSampleRate) {
    return { process: (samples) => samples, flush: () => new Float32Array(0) };
  }
  return createLimiter(spec.gainDb, spec.outputSampleRate);
}

async function createCodec(spec: EncoderSpec): Promise<Codec> {
  switch (spec.format) {
    case "pcm":
    case "wav":
      return createPlainCodec(spec);
    case "mp3":
      if (spec.outputSampleRate < 32_000 || ![64, 128, 192].includes(spec.mp3KilobitsPerSecond)) {
        throw unsupported(`mp3 at ${spec.outputSampleRate} Hz and ${spec.mp3KilobitsPerSecond} kbit/s`);
      }
      return createMp3Codec(spec.outputSampleRate, spec.mp3KilobitsPerSecond);
    case "opus":
      if (spec.outputSampleRate !== 48_000) throw unsupported(`opus at ${spec.outputSampleRate} Hz`);
      return createOpusCodec({
        bitsPerSecond: spec.opusBitsPerSecond,
        originalSampleRate: spec.inputSampleRate,
        serialNumber: serialNumber(spec),
      });
  }
}

function createPlainCodec({ format, outputSampleRate }: EncoderSpec): Codec {
  return format === "wav" ? createWavCodec(outputSampleRate) : createPcmCodec();
}

function unsupported(detail: string): ServiceError {
  return new ServiceError("unsupported_format", { parameters: { detail } });
}

/**
 * A stream that is made again after a fault must have the same bytes, so its Ogg serial number comes from the spec
 * (FNV-1a).
 */
function serialNumber(spec: EncoderSpec): number {
  const text = `${spec.inputSampleRate}/${spec.opusBitsPerSecond ?? "auto"}/${spec.gainDb}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
