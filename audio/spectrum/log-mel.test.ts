import { describe, expect, it } from "vitest";
import { noise } from "../testing/signals.js";
import { FRAME_STEP_SAMPLES, type LogMelRecipe, openLogMel, TRANSFORM_SIZE } from "./log-mel.js";
import { htkScale, type MelFilters, melFilters } from "./mel-filters.js";
import { createRealSpectrum } from "./real-spectrum.js";

const grid = { lowHz: 20, highHz: 7600, sampleRate: 16_000, transformSize: TRANSFORM_SIZE, straightIn: "mel" } as const;
const filters = (bands: number): MelFilters => melFilters({ ...grid, scale: htkScale, bands });
const hann = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length)) / 32_768);

const recipe: LogMelRecipe = {
  ...{ window: hann(400), removeMean: true, emphasis: 0.97, filters: filters(80) },
  ...{ added: 0, floor: 2 ** -23, scale: 1, shift: 0 },
};

/** The same rows in double precision, frame by frame. */
function plainRow(samples: Int16Array, t: number, of: LogMelRecipe): number[] {
  const { window, removeMean, emphasis, added, floor, scale, shift } = of;
  const cut = [...samples.subarray(t * FRAME_STEP_SAMPLES, t * FRAME_STEP_SAMPLES + window.length)];
  const mean = removeMean ? cut.reduce((sum, value) => sum + value, 0) / cut.length : 0;
  const frame = new Float64Array(TRANSFORM_SIZE);
  for (const [i, value] of cut.entries())
    frame[i] = (value - mean - emphasis * ((cut[Math.max(0, i - 1)] as number) - mean)) * (window[i] as number);
  const power = createRealSpectrum(TRANSFORM_SIZE)(frame);
  const { starts, offsets, weights } = of.filters;
  return [...starts].map((start, m) => {
    let energy = added;
    for (let i = offsets[m] as number; i < (offsets[m + 1] as number); i++)
      energy += (weights[i] as number) * (power[start + i - (offsets[m] as number)] as number);
    return Math.log(Math.max(energy, floor)) * scale + shift;
  });
}

describe("log-mel energies in WebAssembly", () => {
  it.each<[string, LogMelRecipe]>([
    ["mean and emphasis taken away", recipe],
    [
      "a longer window, fewer filters, a constant added, scaled and moved",
      {
        ...{ window: hann(512), removeMean: false, emphasis: 0, filters: filters(40) },
        ...{ added: 1e-6, floor: 1e-6, scale: 0.25, shift: 1.5 },
      },
    ],
  ])("are those of double precision: %s", (_, given) => {
    const extract = openLogMel(given);
    const samples = noise(extract.samples.length, 0.3, 7);
    extract.samples.set(samples);
    const rows = extract.run(extract.mostFrames);
    const expected = Array.from({ length: extract.mostFrames }, (_, t) => plainRow(samples, t, given)).flat();
    expect(rows.length).toBe(expected.length);
    expect(Math.max(...expected.map((value, i) => Math.abs(value - (rows[i] as number))))).toBeLessThan(2e-4);
  });

  it("do not depend on how many frames are asked for at once", () => {
    const extract = openLogMel(recipe);
    const samples = noise(extract.samples.length, 0.3, 11);
    extract.samples.set(samples);
    const together = extract.run(7).slice();
    for (let t = 0; t < 7; t++) {
      extract.samples.set(samples.subarray(t * FRAME_STEP_SAMPLES, t * FRAME_STEP_SAMPLES + 400));
      expect(extract.run(1)).toEqual(together.subarray(t * 80, (t + 1) * 80));
    }
  });

  it("are the floor's logarithm in silence", () => {
    const extract = openLogMel(recipe);
    expect(new Set(extract.run(4))).toEqual(new Set([Math.fround(Math.log(2 ** -23))]));
  });

  it("refuse a recipe that their memory does not hold", () => {
    expect(() => openLogMel({ ...recipe, window: hann(513) })).toThrow(RangeError);
    expect(() => openLogMel({ ...recipe, filters: filters(81) })).toThrow(RangeError);
  });
});
