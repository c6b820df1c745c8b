import { describe, expect, it } from "vitest";
import { playBack } from "./player.js";

const every = (count: number, gapMs: number, durationMs: number): { atMs: number; durationMs: number }[] =>
  Array.from({ length: count }, (_, i) => ({ atMs: 1000 + i * gapMs, durationMs }));

describe("the simulated player", () => {
  it("hears sound that comes as fast as it is played without a gap", () => {
    expect(playBack(every(10, 100, 100), { silenceMs: 0, preBufferMs: 0 })).toEqual({
      startedAtMs: 1000,
      underruns: 0,
      stalledMs: 0,
    });
  });

  it("falls silent once per late sound, for as long as it is late", () => {
    expect(playBack(every(4, 130, 100), { silenceMs: 0, preBufferMs: 0 })).toEqual({
      startedAtMs: 1000,
      underruns: 3,
      stalledMs: 90,
    });
  });

  it("starts later with a store, and then bears lateness", () => {
    expect(playBack(every(4, 130, 100), { silenceMs: 0, preBufferMs: 150 })).toEqual({
      startedAtMs: 1130,
      underruns: 0,
      stalledMs: 0,
    });
  });

  it("does not play the silence at the beginning, so it lasts less long", () => {
    expect(playBack(every(3, 100, 100), { silenceMs: 30, preBufferMs: 0 })).toEqual({
      startedAtMs: 1000,
      underruns: 1,
      stalledMs: 30,
    });
  });

  it("starts with what there is when the stream is shorter than the store", () => {
    expect(playBack(every(1, 0, 50), { silenceMs: 0, preBufferMs: 100 }).startedAtMs).toBe(1000);
    expect(playBack(every(2, 10, 50), { silenceMs: 200, preBufferMs: 0 }).startedAtMs).toBeNull();
  });
});
