import { describe, expect, it } from "vitest";
import { differenceDb, level } from "./same-audio.js";

const tone = (length: number, amplitude: number): number[] =>
  Array.from({ length }, (_, i) => amplitude * Math.sin(i / 7));

describe("difference of two sounds", () => {
  it("is far below the sound when only the loudness differs", () => {
    expect(differenceDb(tone(5000, 30_000), tone(5000, 8000))).toBeLessThan(-100);
  });

  it("is the level of what was added", () => {
    const noisy = tone(50_000, 10_000).map((value, i) => value + 100 * Math.sin(i / 3));
    expect(differenceDb(noisy, tone(50_000, 10_000))).toBeCloseTo(-40, 0);
  });

  it("is that of the ends where one begins earlier", () => {
    expect(differenceDb([...tone(300, 20_000), ...tone(5000, 9000)], tone(5000, 9000))).toBeLessThan(-100);
  });

  it("is no agreement for silence and for another sound", () => {
    expect(differenceDb(new Array(5000).fill(0), tone(5000, 8000))).toBeCloseTo(0);
    expect(
      differenceDb(
        tone(5000, 8000).map((_, i) => 8000 * Math.sin(i / 3)),
        tone(5000, 8000),
      ),
    ).toBeGreaterThan(-1);
  });
});

describe("level", () => {
  it("is that of a full-scale tone, and 0 for silence", () => {
    expect(level(tone(44_000, 32_768))).toBeCloseTo(Math.SQRT1_2, 2);
    expect(level([0, 0])).toBe(0);
    expect(level([])).toBe(0);
  });
});
