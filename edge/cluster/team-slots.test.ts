import { expect, it } from "vitest";
import { testPrincipal } from "../speech/testing/speech-bench.js";
import { TeamSlots } from "./team-slots.js";

it("bounds a team by the stricter of the edge's limit and its own, and frees a slot once", () => {
  const slots = new TeamSlots(3);
  const own = { ...testPrincipal, maxConcurrentStreams: 2 };
  const free = slots.take(own);
  slots.take(own);
  expect(() => slots.take(own)).toThrow("Too many requests at once");
  slots.take({ ...own, teamId: "others" });
  free();
  free();
  slots.take(own);
  expect(() => slots.check(own)).toThrow("Too many requests at once");
});

it("has no limit when both are zero", () => {
  const slots = new TeamSlots(0);
  for (let stream = 0; stream < 1000; stream++) slots.take(testPrincipal);
  expect(() => slots.check(testPrincipal)).not.toThrow();
});
