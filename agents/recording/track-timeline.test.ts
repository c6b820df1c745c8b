import { describe, expect, it } from "vitest";
import { TrackTimeline } from "./track-timeline.js";

const ones = (count: number, value = 1): Int16Array => new Int16Array(count).fill(value);
const track = (from = 0): TrackTimeline => new TrackTimeline({ from, slack: 50 });
/** What is there, as runs of equal samples: `0×100 1×10`. */
const runsOf = (samples: Int16Array): string =>
  [...samples]
    .reduce<[number, number][]>((runs, sample) => {
      const last = runs.at(-1);
      if (last !== undefined && last[0] === sample) last[1]++;
      else runs.push([sample, 1]);
      return runs;
    }, [])
    .map(([sample, count]) => `${sample}×${count}`)
    .join(" ");

describe("the time line of a track", () => {
  it("puts audio where it was, and silence where none was", () => {
    const line = track();
    line.add(200, ones(10));
    line.add(500, ones(10, 2));
    expect(runsOf(line.take(600))).toBe("0×200 1×10 0×290 2×10 0×90");
  });

  it("joins pieces that the clock puts a little early or late", () => {
    const line = track();
    line.add(0, ones(100));
    line.add(140, ones(100, 2));
    line.add(160, ones(100, 3));
    expect(runsOf(line.take(300))).toBe("1×100 2×100 3×100");
  });

  it("leaves a gap of any size where it is said that there is one", () => {
    const line = track();
    line.add(0, ones(100));
    line.add(120, ones(10, 2), 0);
    expect(runsOf(line.take(130))).toBe("1×100 0×20 2×10");
  });

  it("puts a burst that follows a late piece back into the gap before it", () => {
    const line = track();
    line.add(0, ones(100));
    // The process was busy: 300 come at once, and the first of them seemed to have just been.
    for (let piece = 0; piece < 30; piece++) line.add(390, ones(10, 2));
    for (let at = 400; at < 500; at += 10) line.add(at, ones(10, 3));
    const whole = line.take(500);
    expect(whole.filter((sample) => sample === 2).length).toBe(300);
    expect(Math.abs(whole.indexOf(2) - 100)).toBeLessThanOrEqual(50);
    expect(Math.abs(whole.indexOf(3) - 400)).toBeLessThanOrEqual(50);
  });

  it.each([0.97, 1.03])("stays within the slack where pieces come %f times as far apart as they are long", (pace) => {
    const line = track();
    const whole: number[] = [];
    const startOf = (piece: number): number => Math.round(piece * 10 * pace);
    for (let piece = 0; piece < 1000; piece++) {
      line.add(startOf(piece), ones(10, piece + 1));
      whole.push(...line.take(Math.max(0, startOf(piece) - 100)));
    }
    const found = Array.from({ length: 1000 }, (_, piece) => [piece, whole.indexOf(piece + 1)] as const).filter(
      ([, at]) => at >= 0,
    );
    // What comes too fast is left out here and there.
    expect(found.length).toBeGreaterThan(900);
    for (const [piece, at] of found) expect(Math.abs(at - startOf(piece))).toBeLessThanOrEqual(60);
  });

  it("forgets what was cut, and goes on behind it", () => {
    const line = track();
    line.add(0, ones(100));
    line.add(100, ones(400, 2));
    line.cut(150);
    line.add(300, ones(10, 3), 0);
    expect(runsOf(line.take(310))).toBe("1×100 2×50 0×150 3×10");
    line.cut(100);
    expect(runsOf(line.take(320))).toBe("0×10");
  });

  it("gives each position once", () => {
    const line = track(1000);
    line.add(1000, ones(100));
    expect(runsOf(line.take(1030))).toBe("1×30");
    expect(runsOf(line.take(1030))).toBe("");
    expect(runsOf(line.take(1200))).toBe("1×70 0×100");
    // Too late: what was given is silence for good.
    line.add(1100, ones(60, 2));
    line.add(1250, ones(10, 3));
    expect(runsOf(line.take(1300))).toBe("3×10 0×90");
  });
});
