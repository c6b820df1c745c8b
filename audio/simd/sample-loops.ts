import { sampleLoopsModule } from "./sample-loops-module.js";

/** Samples that go through a loop at once. */
const BLOCK_SAMPLES = 8192;
/** Floats lie at the beginning of the memory, 16-bit samples behind them. */
const INTEGERS_AT = BLOCK_SAMPLES * 4;

interface LoopExports {
  memory: { buffer: ArrayBuffer };
  toFloat(from: number, to: number, count: number): void;
  fromFloat(from: number, to: number, count: number): void;
  peak(from: number, count: number): number;
}

/** The part of the JavaScript API of WebAssembly that is used here: Node.js has it without the types of browsers. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: LoopExports };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
const loops = new Instance(new Module(Buffer.from(sampleLoopsModule, "base64"))).exports;
const floats = new Float32Array(loops.memory.buffer, 0, BLOCK_SAMPLES);
const integers = new Int16Array(loops.memory.buffer, INTEGERS_AT, BLOCK_SAMPLES);

/** Writes 16-bit samples as floats, -1 to 1, to the beginning of `into`. */
export function writeFloats(into: Float32Array, samples: Int16Array): void {
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    const count = Math.min(BLOCK_SAMPLES, samples.length - at);
    integers.set(samples.subarray(at, at + count));
    loops.toFloat(INTEGERS_AT, 0, count);
    into.set(floats.subarray(0, count), at);
  }
}

/** Writes floats as 16-bit samples to the beginning of `into`: rounded, held within the range, NaN as 0. */
export function writeIntegers(into: Int16Array, samples: Float32Array): void {
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    const count = Math.min(BLOCK_SAMPLES, samples.length - at);
    floats.set(samples.subarray(at, at + count));
    loops.fromFloat(0, INTEGERS_AT, count);
    into.set(integers.subarray(0, count), at);
  }
}

/** The largest distance of a sample from 0; 0 where there is none. NaN does not count. */
export function peakOf(samples: Float32Array): number {
  let most = 0;
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    const count = Math.min(BLOCK_SAMPLES, samples.length - at);
    floats.set(samples.subarray(at, at + count));
    const whole = Math.min(BLOCK_SAMPLES, Math.ceil(count / 8) * 8);
    floats.fill(0, count, whole);
    most = Math.max(most, loops.peak(0, whole));
  }
  return most;
}
