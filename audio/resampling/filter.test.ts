import { expect, test } from "vitest";
import { createResampler } from "./resampler.js";

test("streams that take turns with one filter do not hear each other", () => {
  const step = (at: number, hertz: number): Float32Array =>
    Float32Array.from({ length: 441 }, (_, i) => Math.sin((2 * Math.PI * hertz * (at * 441 + i)) / 22_050));
  const alone = [440, 660].map((hertz) => {
    const resampler = createResampler(22_050, 24_000);
    return Array.from({ length: 20 }, (_, at) => [...resampler.process(step(at, hertz))]);
  });
  const both = [createResampler(22_050, 24_000), createResampler(22_050, 24_000)];
  const inTurns: number[][][] = [[], []];
  for (let at = 0; at < 20; at++)
    for (const [which, resampler] of both.entries())
      inTurns[which]?.push([...resampler.process(step(at, which === 0 ? 440 : 660))]);
  expect(inTurns).toEqual(alone);
});

test("a long input and a great change of rate go through piece by piece", () => {
  for (const [from, to] of [
    [4000, 192_000],
    [192_000, 8000],
  ] as const) {
    const resampler = createResampler(from, to);
    const samples = Float32Array.from({ length: 5 * from }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 440 * i) / from));
    const output = [...resampler.process(samples), ...resampler.flush()];
    expect(output.length).toBe(5 * to);
    const ideal = (at: number): number => 0.5 * Math.sin((2 * Math.PI * 440 * at) / to);
    let error = 0;
    for (let at = 2 * to; at < 3 * to; at++) error = Math.max(error, Math.abs((output[at] as number) - ideal(at)));
    expect(error).toBeLessThan(1e-3);
  }
});
