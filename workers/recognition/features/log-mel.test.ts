import { describe, expect, it } from "vitest";
import { createLogMel, type FeatureKind, MEL_BANDS } from "./log-mel.js";
import { kaldiReference, nemoReference, referenceFrames, referenceRows, referenceSignal } from "./testing/reference.js";

describe("log-mel energies", () => {
  it.each<[FeatureKind, readonly (readonly number[])[]]>([
    ["kaldi", kaldiReference],
    ["nemo", nemoReference],
  ])("are those of the %s definition", (kind, reference) => {
    const { frames, values } = createLogMel(kind)(referenceSignal());
    expect(frames).toBe(referenceFrames);
    const given = (row: number, band: number): number =>
      values[(referenceRows[row] ?? 0) * MEL_BANDS + band] ?? Number.NaN;
    const differences = reference.flatMap((row, r) => row.map((value, m) => Math.abs(value - given(r, m))));
    expect(differences.length).toBe(4 * MEL_BANDS);
    expect(Math.max(...differences)).toBeLessThan(2e-4);
  });

  it.each([
    [0, 0],
    [1, 0],
    [79, 0],
    [80, 1],
    [239, 1],
    [240, 2],
    [16_000, 100],
  ])("give round(length / step) frames: %i samples, %i frames, all finite", (samples, frames) => {
    for (const kind of ["kaldi", "nemo"] as const) {
      const made = createLogMel(kind)(new Int16Array(samples).fill(1000));
      expect(made.frames).toBe(frames);
      expect(made.values.length).toBe(frames * MEL_BANDS);
      expect(made.values.every(Number.isFinite)).toBe(true);
    }
  });

  it("do not remember the sound before", () => {
    const extract = createLogMel("kaldi");
    const signal = referenceSignal();
    const first = extract(signal).values.slice();
    extract(new Int16Array(5000).fill(-32_768));
    expect(extract(signal).values).toEqual(first);
  });
});
