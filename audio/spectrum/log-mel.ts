import { logMelModule } from "./log-mel-module.js";
import type { MelFilters } from "./mel-filters.js";
import { inputOrder, symmetryTurns, turnsOf } from "./real-spectrum.js";

/** Samples from one frame to the next: 10 ms at 16 kHz. */
export const FRAME_STEP_SAMPLES = 160;
/** Values of a frame's transform; a window may be shorter. */
export const TRANSFORM_SIZE = 512;
const MOST_FRAMES = 64;
const MOST_BANDS = 80;

/** How frames become rows. */
export interface LogMelRecipe {
  /** As long as a frame, up to `TRANSFORM_SIZE`; makes samples of -1 to 1 of 16-bit ones, too. */
  window: Float64Array;
  /** Whether each frame's mean is taken away first. */
  removeMean: boolean;
  /** How much of the sample before is taken away from each; 0 takes none. */
  emphasis: number;
  /** Up to 80 of them, over a transform of `TRANSFORM_SIZE`. */
  filters: MelFilters;
  /** Added to every energy under the logarithm. */
  added: number;
  /** Least energy under the logarithm: above 0, and no denormal number. */
  floor: number;
  /** A row's values are the logarithms times `scale`, plus `shift`. */
  scale: number;
  shift: number;
}

/** A compiled recipe and the memory that it works in. */
export interface LogMelFrames {
  /** Frames that may be asked for at once. */
  mostFrames: number;
  /** Where the caller writes the audio: 16-bit samples, not scaled, frame t from `t * FRAME_STEP_SAMPLES` on. */
  samples: Float32Array;
  /** One row a frame, in a view that is valid until the next call. */
  run(frames: number): Float32Array;
}

interface LogMelExports {
  memory: { buffer: ArrayBuffer };
  run(
    groups: number,
    length: number,
    bands: number,
    meanScale: number,
    emphasis: number,
    added: number,
    floor: number,
    scale: number,
    shift: number,
  ): void;
}

/** The part of the JavaScript API of WebAssembly that is used here: Node.js has it without the types of browsers. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: LogMelExports };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
let compiled: object | null = null;

/** Places in the module's memory, bytes: `log-mel.wat` draws them. */
const TURNS_AT = 1024;
const SYMMETRY_TURNS_AT = 3072;
const WINDOW_AT = 4128;
const FILTERS_AT = 6176;
const WEIGHTS_AT = 7168;
const FRAME_AT = 12_288;
const POWER_AT = 28_672;
const SAMPLES_AT = 65_536;
const ROWS_AT = 131_072;
const VECTOR_BYTES = 16;
/** The smallest transforms that a pass joins, and those of the passes after it. */
const PASS_QUARTERS = [4, 16, 64];

/**
 * Opens a recipe: logarithms of mel energies, four frames at once in WebAssembly, in single precision as Kaldi computes
 * them. Rows do not depend on how frames are grouped.
 */
export function openLogMel(recipe: LogMelRecipe): LogMelFrames {
  const { window, removeMean, emphasis, filters, added, floor, scale, shift } = recipe;
  const bands = filters.starts.length;
  if (window.length > TRANSFORM_SIZE || bands > MOST_BANDS || filters.weights.length * 4 > FRAME_AT - WEIGHTS_AT)
    throw new RangeError(`a window of ${window.length} and ${bands} filters of ${filters.weights.length} weights`);
  compiled ??= new Module(Buffer.from(logMelModule, "base64"));
  const { memory, run } = new Instance(compiled).exports;
  writeTables(memory.buffer, window, filters);
  const meanScale = removeMean ? 1 / window.length : 0;
  const rows = new Float32Array(memory.buffer, ROWS_AT, MOST_FRAMES * bands);
  return {
    mostFrames: MOST_FRAMES,
    samples: new Float32Array(memory.buffer, SAMPLES_AT, (MOST_FRAMES - 1) * FRAME_STEP_SAMPLES + window.length),
    run(frames) {
      run(Math.ceil(frames / 4), window.length, bands, meanScale, emphasis, added, floor, scale, shift);
      return rows.subarray(0, frames * bands);
    },
  };
}

function writeTables(memory: ArrayBuffer, window: Float64Array, { starts, offsets, weights }: MelFilters): void {
  const half = TRANSFORM_SIZE / 2;
  const order = inputOrder(half).map((i) => FRAME_AT + 2 * i * VECTOR_BYTES);
  new Int32Array(memory).set(order);
  new Float32Array(memory, TURNS_AT).set(PASS_QUARTERS.flatMap((quarter) => [...turnsOf(quarter)]));
  new Float32Array(memory, SYMMETRY_TURNS_AT).set(symmetryTurns(TRANSFORM_SIZE));
  new Float32Array(memory, WINDOW_AT).set(window);
  const places = [...starts].flatMap((start, m) => [
    POWER_AT + start * VECTOR_BYTES,
    (offsets[m + 1] as number) - (offsets[m] as number),
  ]);
  new Int32Array(memory, FILTERS_AT).set(places);
  new Float32Array(memory, WEIGHTS_AT).set(weights);
}
