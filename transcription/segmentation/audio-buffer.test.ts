import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AudioBuffer } from "./audio-buffer.js";

describe("a buffer of audio", () => {
  it("gives back what came, and its views stay right whatever comes and goes after", () => {
    const portion = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 15_000, max: 40_000 }));
    const portions = fc.array(fc.record({ length: portion, purged: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(portions, (steps) => {
        const buffer = new AudioBuffer();
        const views: { from: number; samples: Int16Array }[] = [];
        for (const { length, purged } of steps) {
          buffer.append(sawtooth(buffer.end, length));
          views.push({ from: buffer.start, samples: buffer.view(buffer.start, buffer.end) });
          buffer.purge(buffer.start + Math.floor(purged * (buffer.end - buffer.start)));
        }
        expect(buffer.end).toBe(steps.reduce((sum, { length }) => sum + length, 0));
        for (const { from, samples } of views) expect(isSawtooth(samples, from)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("copies no large portion that comes when nothing is kept", () => {
    const buffer = new AudioBuffer();
    const file = sawtooth(0, 100_000);
    buffer.append(file);
    expect(buffer.view(10, 90_000).buffer).toBe(file.buffer);
    buffer.append(sawtooth(100_000, 10));
    expect(buffer.view(99_990, 100_010)).toEqual(sawtooth(99_990, 20));
  });

  it("forgets what is purged, and no more than came", () => {
    const buffer = new AudioBuffer();
    buffer.append(sawtooth(0, 100));
    buffer.purge(40);
    expect(buffer.start).toBe(40);
    buffer.purge(20);
    expect(buffer.start).toBe(40);
    buffer.purge(1000);
    expect([buffer.start, buffer.end]).toEqual([100, 100]);
  });
});

/** The value of a sample tells its position. */
const valueAt = (position: number): number => (position % 30_011) - 15_000;

function sawtooth(from: number, length: number): Int16Array {
  const samples = new Int16Array(length);
  for (let index = 0; index < length; index++) samples[index] = valueAt(from + index);
  return samples;
}

const isSawtooth = (samples: Int16Array, from: number): boolean =>
  samples.every((sample, index) => sample === valueAt(from + index));
