import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { shouldRetire, watchMemory } from "./memory-limit.js";

const MEBIBYTE = 1024 * 1024;

describe("a runtime's memory", () => {
  it.each([
    [99, 0, false],
    [100, 0, true],
    [100, 1, false],
    [149, 8, false],
    [150, 8, true],
  ])("of %i MB with a limit of 100 and %i conversations: retires %s", (residentMb, sessions, expected) => {
    expect(shouldRetire({ residentBytes: residentMb * MEBIBYTE, limitMb: 100, sessions })).toBe(expected);
    expect(shouldRetire({ residentBytes: residentMb * MEBIBYTE, limitMb: 0, sessions })).toBe(false);
  });

  it("is looked at until it is too much, and the runtime retires once", () => {
    const clock = new VirtualClock();
    const reasons: string[] = [];
    const runtime = { sessions: ["a"] };
    let residentBytes = 90 * MEBIBYTE;
    const retire = (reason: string): void => void reasons.push(reason);
    watchMemory({ clock, limitMb: 100, runtime, retire, residentBytes: () => residentBytes });
    clock.advance(60_000);
    residentBytes = 120 * MEBIBYTE;
    clock.advance(60_000);
    expect(reasons).toEqual([]);
    runtime.sessions = [];
    clock.advance(60_000);
    expect(reasons).toEqual(["it takes 120 MB, more than PARLEY_AGENT_MEMORY_MB"]);
  });

  it("is that of the process where nothing else is said, and not looked at once that was ended", () => {
    const clock = new VirtualClock();
    const reasons: string[] = [];
    const options = {
      clock,
      limitMb: 1,
      runtime: { sessions: [] },
      retire: (reason: string) => void reasons.push(reason),
    };
    watchMemory(options).close();
    clock.advance(60_000);
    expect(reasons).toEqual([]);
    watchMemory(options);
    clock.advance(60_000);
    expect(reasons).toHaveLength(1);
  });
});
