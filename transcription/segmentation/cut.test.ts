import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CutOptions, cutAudio, defaultCutOptions } from "./cut.js";
import { STEP_SAMPLES } from "./vad-windows.js";

const second = 100;

/** A track of runs: [steps, answer] after another, each answer shaken by up to 20. */
const track = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 900 }),
      fc.constantFrom(0, 0, 10, 40, 60, 70, 130, 230, 250),
      fc.integer({ min: 0, max: 20 }),
    ),
    { maxLength: 15 },
  )
  .map((runs) =>
    Uint8Array.from(
      runs.flatMap(([steps, level, shake]) =>
        Array.from({ length: steps }, (_, i) => Math.min(255, level + ((i * 7919) % (shake + 1)))),
      ),
    ),
  );

const options = fc.record<Partial<CutOptions>>({
  maxSeconds: fc.integer({ min: 5, max: 30 }),
  targetSeconds: fc.integer({ min: 1, max: 30 }),
  paddingMs: fc.integer({ min: 0, max: 40 }).map((n) => n * 10),
  mergePauseMs: fc.integer({ min: 0, max: 60 }).map((n) => n * 10),
  splitPauseMs: fc.integer({ min: 30, max: 400 }).map((n) => n * 10),
  threshold: fc.integer({ min: 1, max: 255 }),
});

const parameters = { seed: 11, numRuns: 60 };

/** Speech of the given seconds, pauses between: positive numbers speak, negative ones pause. */
function speaking(...seconds: number[]): Uint8Array {
  return Uint8Array.from(
    seconds.flatMap((length) => new Array<number>(Math.round(Math.abs(length) * second)).fill(length > 0 ? 250 : 2)),
  );
}

const cutSeconds = (speech: Uint8Array, chosen: Partial<CutOptions> = {}): [number, number][] =>
  cutAudio(speech, speech.length * STEP_SAMPLES, chosen).map(({ startSample, endSample }) => [
    startSample / 16_000,
    endSample / 16_000,
  ]);

describe("cutting a sound for recognition", () => {
  it("covers all that may be speech with segments in order, apart, inside the sound and not too long", () => {
    fc.assert(
      fc.property(track, options, fc.integer({ min: 0, max: STEP_SAMPLES - 1 }), (speech, chosen, missing) => {
        const samples = Math.max(0, speech.length * STEP_SAMPLES - missing);
        const { maxSeconds, threshold } = { ...defaultCutOptions, ...chosen };
        const covered = new Uint8Array(speech.length);
        let before = 0;
        for (const { startSample, endSample } of cutAudio(speech, samples, chosen)) {
          expect(
            before <= startSample && startSample < endSample && endSample <= samples,
            `${before} ${startSample} ${endSample}`,
          ).toBe(true);
          expect(endSample - startSample).toBeLessThanOrEqual(maxSeconds * 16_000);
          const steps = [startSample / STEP_SAMPLES, Math.ceil(endSample / STEP_SAMPLES)] as const;
          covered.fill(1, ...steps);
          expect(speech.subarray(...steps).some((answer) => answer >= threshold)).toBe(true);
          before = endSample;
        }
        expect(speech.findIndex((answer, step) => answer >= threshold && covered[step] === 0)).toBe(-1);
      }),
      parameters,
    );
  });

  it("gives the same segments when all that they leave out is silence", () => {
    fc.assert(
      fc.property(track, options, (speech, chosen) => {
        const samples = speech.length * STEP_SAMPLES;
        const segments = cutAudio(speech, samples, chosen);
        const silenced = new Uint8Array(speech.length);
        for (const { startSample, endSample } of segments) {
          silenced.set(
            speech.subarray(startSample / STEP_SAMPLES, endSample / STEP_SAMPLES),
            startSample / STEP_SAMPLES,
          );
        }
        expect(cutAudio(silenced, samples, chosen)).toEqual(segments);
      }),
      parameters,
    );
  });

  it("gives nothing for silence and nothing for nothing", () => {
    expect(cutSeconds(speaking(-20))).toEqual([]);
    expect(cutSeconds(new Uint8Array(0))).toEqual([]);
  });

  it("pads speech, but neither beyond the sound nor into the half of a pause that is the neighbour's", () => {
    expect(cutSeconds(speaking(-2, 3, -2))).toEqual([[1.82, 5.18]]);
    expect(cutSeconds(speaking(-0.1, 3))).toEqual([[0, 3.1]]);
    expect(cutSeconds(speaking(20, -0.3, 20))).toEqual([
      [0, 20.15],
      [20.15, 40.3],
    ]);
  });

  it("keeps an utterance with short pauses whole, and leaves long silence out", () => {
    expect(cutSeconds(speaking(2, -0.2, 2, -0.25, 2))).toHaveLength(1);
    expect(cutSeconds(speaking(2, -5, 2))).toEqual([
      [0, 2.18],
      [6.82, 9],
    ]);
  });

  it("cuts at the longest pause near the target length", () => {
    expect(cutSeconds(speaking(9, -0.4, 2, -0.9, 2, -0.4, 9))).toEqual([
      [0, 11.58],
      [12.12, 23.7],
    ]);
    const sizes = cutSeconds(speaking(...Array.from({ length: 120 }, (_, i) => (i % 2 === 0 ? 2.3 : -0.6))), {
      targetSeconds: 12,
    }).map(([a, b]) => b - a);
    expect(Math.min(...sizes)).toBeGreaterThan(8);
    expect(Math.max(...sizes)).toBeLessThan(16);
  });

  it("cuts speech without a pause where the detector is least sure", () => {
    const speech = speaking(50);
    speech.fill(120, 2240, 2260);
    const [first, second_] = cutSeconds(speech);
    expect(first?.[1]).toBeGreaterThanOrEqual(22.35);
    expect(first?.[1]).toBeLessThanOrEqual(22.65);
    expect(second_?.[0]).toBe(first?.[1]);
    expect(second_?.[1]).toBe(50);
  });
});
