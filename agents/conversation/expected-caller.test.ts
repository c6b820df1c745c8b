import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { expectCaller } from "./expected-caller.js";

describe("a caller who is expected in the room", () => {
  it("is told as absent once, where nobody sees them", () => {
    const clock = new VirtualClock();
    let absences = 0;
    expectCaller(clock, () => absences++);
    clock.advance(3500);
    expect(absences).toBe(0);
    clock.advance(60_000);
    expect(absences).toBe(1);
  });

  it("is not, once seen", () => {
    const clock = new VirtualClock();
    let absences = 0;
    const caller = expectCaller(clock, () => absences++);
    clock.advance(500);
    caller.seen();
    clock.advance(60_000);
    expect(absences).toBe(0);
  });
});
