import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AudioClock, LATE_MS } from "./audio-clock.js";

describe("the clock of an audio track", () => {
  it("dates samples by when the audio began, and by when it came where it comes sooner", () => {
    const clock = new AudioClock();
    clock.take(1100, 100);
    expect(clock.toNowMs(0)).toBe(1000);
    clock.take(1230, 100);
    expect(clock.toNowMs(200)).toBe(1200);
    clock.take(1270, 100);
    expect(clock.toNowMs(300)).toBe(1270);
  });

  it("asks for silence where audio is missing, and dates back what comes in its place after all", () => {
    const clock = new AudioClock();
    clock.take(1000, 20);
    expect(clock.missingMs(1000 + LATE_MS - 1, 0)).toBe(0);
    expect(clock.missingMs(1400, 0)).toBe(400);
    clock.take(1400, 400);
    expect(clock.missingMs(1400, 0)).toBe(0);
    // The 400 ms come now, at once, and the next in time.
    clock.take(1420, 420);
    expect(clock.toNowMs(clock.audioMs)).toBe(1420);
    expect(clock.missingMs(1440, 20)).toBe(0);
  });

  it("fills the end of a long gap only", () => {
    const clock = new AudioClock();
    clock.take(1000, 20);
    const missingMs = clock.missingMs(61_000, 20);
    expect(missingMs).toBe(2000);
    clock.take(60_980, missingMs);
    clock.take(61_000, 20);
    expect(clock.toNowMs(clock.audioMs)).toBe(61_000);
  });

  it("never dates audio into the future, nor more than a gap into the past", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 5000 }), forMs: fc.integer({ min: 1, max: 400 }) }), {
          maxLength: 60,
        }),
        (portions) => {
          const clock = new AudioClock();
          let nowMs = 0;
          for (const { waitMs, forMs } of portions) {
            nowMs += waitMs;
            const missingMs = clock.missingMs(nowMs, forMs);
            if (missingMs > 0) clock.take(nowMs - forMs, missingMs);
            clock.take(nowMs, forMs);
            expect(clock.toNowMs(clock.audioMs)).toBeLessThanOrEqual(nowMs);
            expect(nowMs - clock.toNowMs(clock.audioMs)).toBeLessThanOrEqual(LATE_MS);
          }
        },
      ),
      { seed: 2 },
    );
  });
});
