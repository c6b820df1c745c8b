import { move, transferableSymbol, valueSymbol } from "piscina";
import { type ErrorRecord, toErrorRecord } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { fromFloat, type Pcm, toFloat } from "../pcm.js";
import { resampleWhole } from "../resampler.js";
import { measureVoiceBytes } from "../voice/measure-bytes.js";
import { type DecodeBounds, decodeBytes } from "./decode-bytes.js";
import type { DecodedAudio } from "./mono-sink.js";

// Functions of a decode thread, called by name through piscina. They answer errors as records: an Error loses its class between threads.

// The decoders print each fault of a stranger's file here; the caller gets one error that says what matters.
console.error = () => undefined;

/** Answer of every function here. */
export type Answer<T> = { value: T } | { error: ErrorRecord };

export async function decode({ bytes, bounds }: { bytes: Uint8Array; bounds: DecodeBounds }): Promise<Answer<DecodedAudio>> {
  try {
    const decoded = await decodeBytes(bytes, bounds);
    return moved({ value: decoded }, decoded.pcm.samples);
  } catch (error) {
    return { error: toErrorRecord(error) };
  }
}

export async function measure({ bytes }: { bytes: Uint8Array }): Promise<Answer<{ traits: VoiceTraits; durationMs: number }>> {
  try {
    return { value: await measureVoiceBytes(bytes) };
  } catch (error) {
    return { error: toErrorRecord(error) };
  }
}

export function resample({ pcm, sampleRate }: { pcm: Pcm; sampleRate: number }): Answer<Pcm> {
  const samples = fromFloat(resampleWhole(toFloat(pcm.samples), pcm.sampleRate, sampleRate));
  return moved({ value: { samples, sampleRate } }, samples);
}

/** The answer with the samples' memory handed over instead of copied. */
function moved<T>(answer: Answer<T>, samples: Int16Array): Answer<T> {
  return move({ [transferableSymbol]: [samples.buffer], [valueSymbol]: answer } as never) as unknown as Answer<T>;
}
