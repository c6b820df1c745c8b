import { describe, expect, it } from "vitest";
import { createRealSpectrum } from "./real-spectrum.js";

describe("the spectrum of real frames", () => {
  it("is that of the plain sum", () => {
    const size = 16;
    const frame = Float64Array.from({ length: size }, (_, i) => ((i * 7919) % 23) - 11);
    const expected = Array.from({ length: size / 2 + 1 }, (_, k) => {
      let [re, im] = [0, 0];
      for (const [i, value] of frame.entries()) {
        re += value * Math.cos((2 * Math.PI * k * i) / size);
        im -= value * Math.sin((2 * Math.PI * k * i) / size);
      }
      return re * re + im * im;
    });
    const power = [...createRealSpectrum(size)(frame)];
    for (const [k, value] of expected.entries()) expect(power[k]).toBeCloseTo(value, 8);
  });
});
