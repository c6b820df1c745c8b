import { describe, expect, it } from "vitest";
import { steadyTimeOfDay, VirtualClock } from "./clock.js";

describe("VirtualClock", () => {
  it("fires timers in order of time, then of creation, with the clock at each one's time", () => {
    const clock = new VirtualClock();
    const fired: [string, number][] = [];
    clock.after(20, () => fired.push(["late", clock.nowMs()]));
    clock.after(10, () => fired.push(["first", clock.nowMs()]));
    clock.after(10, () => fired.push(["second", clock.nowMs()]));
    clock.advance(15);
    expect(fired).toEqual([
      ["first", 10],
      ["second", 10],
    ]);
    expect(clock.nowMs()).toBe(15);
    clock.advance(5);
    expect(fired.at(-1)).toEqual(["late", 20]);
  });

  it("fires timers that timers set, and none that were cancelled", () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const cancel = clock.after(5, () => fired.push("cancelled"));
    clock.after(1, () => {
      cancel();
      clock.after(1, () => fired.push("chained"));
    });
    clock.advance(100);
    expect(fired).toEqual(["chained"]);
  });
});

it("steadyTimeOfDay goes on as its clock does", () => {
  const clock = new VirtualClock();
  clock.advance(700);
  const timeOfDayMs = steadyTimeOfDay(clock, 1_800_000_000_000);
  clock.advance(1500);
  expect(timeOfDayMs()).toBe(1_800_000_001_500);
});
