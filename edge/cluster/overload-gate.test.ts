import { expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { VirtualClock } from "#common/clock";
import { OverloadGate } from "./overload-gate.js";

it("answers for a scheduler that refused a moment ago, for the same kind of work only", () => {
  const clock = new VirtualClock();
  const gate = new OverloadGate(clock);
  gate.note("live", new ServiceError("overloaded", { retryAfterMs: 700 }));
  gate.note("other", new ServiceError("no_worker", { parameters: { model: "m" } }));
  expect(() => gate.check("live")).toThrow(expect.objectContaining({ code: "overloaded", retryAfterMs: 700 }));
  expect(() => gate.check("other")).not.toThrow();
  clock.advance(99);
  expect(() => gate.check("live")).toThrow();
  clock.advance(1);
  expect(() => gate.check("live")).not.toThrow();
});

it("never refuses for longer than the scheduler wished", () => {
  const clock = new VirtualClock();
  const gate = new OverloadGate(clock);
  gate.note("live", new ServiceError("overloaded", { retryAfterMs: 20 }));
  clock.advance(20);
  expect(() => gate.check("live")).not.toThrow();
});
