import { filterModule } from "./filter-module.js";

/** Rows of coefficients, and the compiled loop over them. */
export interface Filter {
  /** Most samples of a window. */
  mostWindow: number;
  /** Most samples of one call's output. */
  mostOutput: number;
  /** Where a call's window is written; another call, of whichever stream, writes there too. */
  window: Float32Array;
  /** Output samples from `phase` on, in a view that is valid until the next call. The window must hold all they need. */
  run(phase: number, count: number): Float32Array;
}

const PAGE_BYTES = 65_536;
/** A block of the encoders and a window's history fit. */
const MOST_SAMPLES = 8192;

interface FilterExports {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  filter(
    window: number,
    rows: number,
    output: number,
    rowBytes: number,
    phase: number,
    up: number,
    wholeBytes: number,
    part: number,
    count: number,
  ): void;
}

/** The part of the JavaScript API of WebAssembly that is used here: Node.js has it without the types of browsers. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: FilterExports };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
let compiled: object | null = null;

/** Puts `up` rows of `taps` coefficients, a multiple of 8, beside the compiled loop. */
export function openFilter(
  coefficients: Float32Array,
  { up, down, taps }: { up: number; down: number; taps: number },
): Filter {
  compiled ??= new Module(Buffer.from(filterModule, "base64"));
  const { memory, filter } = new Instance(compiled).exports;
  const windowAt = coefficients.byteLength;
  const mostWindow = MOST_SAMPLES + taps;
  const outputAt = windowAt + mostWindow * 4;
  memory.grow(Math.ceil((outputAt + MOST_SAMPLES * 4) / PAGE_BYTES));
  new Float32Array(memory.buffer).set(coefficients);
  const output = new Float32Array(memory.buffer, outputAt, MOST_SAMPLES);
  return {
    mostWindow,
    mostOutput: MOST_SAMPLES,
    window: new Float32Array(memory.buffer, windowAt, mostWindow),
    run(phase, count) {
      filter(windowAt, 0, outputAt, taps * 4, phase, up, Math.floor(down / up) * 4, down % up, count);
      return output.subarray(0, count);
    },
  };
}
