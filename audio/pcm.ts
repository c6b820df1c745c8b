import { writeFloats, writeIntegers } from "./simd/sample-loops.js";

/** Mono audio: signed 16-bit samples at a rate in Hz. */
export interface Pcm {
  samples: Int16Array;
  sampleRate: number;
}

/** The samples as little-endian bytes, sharing memory where the platform's byte order allows. */
export function samplesToBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** A copy of little-endian s16 bytes as samples (copied: the source may be unaligned and belong to a message). */
export function bytesToSamples(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.byteLength >> 1);
  // Not `slice`: a Buffer's gives a view on memory that it shares with strangers.
  new Uint8Array(samples.buffer).set(bytes.length === samples.byteLength ? bytes : bytes.subarray(0, -1));
  return samples;
}

/** Samples as floats, -1 to 1. */
export function toFloat(samples: Int16Array): Float32Array {
  const values = new Float32Array(samples.length);
  toFloatInto(values, samples);
  return values;
}

/** `toFloat` into the beginning of `into`. */
export const toFloatInto = writeFloats;

/** Floats as 16-bit samples: rounded, held within the range, NaN as 0. The inverse of `toFloat`. */
export function fromFloat(samples: Float32Array): Int16Array {
  const values = new Int16Array(samples.length);
  writeIntegers(values, samples);
  return values;
}

/** `fromFloat` of the samples from one place up to another, into the beginning of `into`. */
export function fromFloatInto(into: Int16Array, samples: Float32Array, from: number, to: number): void {
  writeIntegers(into, samples.subarray(from, to));
}
