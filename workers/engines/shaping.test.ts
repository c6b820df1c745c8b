import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tiltFilter } from "#audio/voice/tilt-filter";
import { ChunkShaper, saturate, type Shape, toSamples } from "./shaping.js";

const plain: Shape = { sampleRate: 1000, gainDb: 0, filter: null, pauseAfterMs: 0, maxSamples: 0 };

function shaped(shape: Shape, pieces: Int16Array[]): Int16Array {
  const shaper = new ChunkShaper(shape);
  return Int16Array.from([...pieces.flatMap((piece) => [...shaper.push(piece)]), ...shaper.finish()]);
}

describe("shaping", () => {
  it("does not depend on how the sound was cut", () => {
    const piece = fc
      .array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 40 })
      .map((values) => Int16Array.from(values));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: -20, max: 20 }),
        fc.integer({ min: 0, max: 120 }),
        (pieces, quiet, gainDb, maxSamples) => {
          const all = [new Int16Array(quiet), ...pieces];
          const shape = (): Shape => ({ ...plain, gainDb, maxSamples, pauseAfterMs: 7, filter: tiltFilter(3, 8000) });
          expect(shaped(shape(), all)).toEqual(shaped(shape(), [Int16Array.from(all.flatMap((part) => [...part]))]));
        },
      ),
    );
  });

  it("drops leading silence but twenty milliseconds, and moves the words along", () => {
    const shaper = new ChunkShaper(plain);
    expect(shaper.push(new Int16Array(50)).length).toBe(0);
    const out = shaper.push(Int16Array.from([...new Array<number>(10).fill(0), 1000, 2000]));
    expect([...out]).toEqual([...Array<number>(20).fill(0), 1000, 2000]);
    expect(shaper.place({ text: "a", startMs: 60, endMs: 62, sourceStart: 0, sourceEnd: 1 })).toMatchObject({
      startMs: 20,
      endMs: 22,
    });
  });

  it("gives nothing for silence, and then only the pause", () => {
    expect([...shaped({ ...plain, pauseAfterMs: 3 }, [new Int16Array(500)])]).toEqual([0, 0, 0]);
  });

  it("leaves what is below the knee as it is, and never clips", () => {
    for (const sample of [0, 1, -1, 24_000, -24_000]) expect(saturate(sample)).toBe(sample);
    expect(saturate(1e9)).toBe(32_767);
    expect(saturate(-1e9)).toBe(-32_767);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (a, b) => a > b || saturate(a) <= saturate(b),
      ),
    );
  });

  it("turns floating-point sound into samples, whatever is in it", () => {
    expect([...toSamples(Float32Array.from([0, 0.5, -0.5, Number.NaN, Number.POSITIVE_INFINITY]))]).toEqual(
      [0, 16_384, -16_384, 0, 0].map((value) => expect.closeTo(value, -1)),
    );
  });
});
