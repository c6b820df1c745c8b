import { expect, it } from "vitest";
import { conversations } from "../scenarios.js";
import { withOptions } from "./options.js";

it("is as the scenario says where the command line says nothing", () => {
  expect(withOptions(conversations, ["conversations"])).toEqual(conversations);
  expect(conversations.counts).toEqual([1, 4, 8, 12, 16]);
});

it("takes numbers, and leaves the peer out", () => {
  expect(withOptions(conversations, ["--no-peer", "--counts=2,6", "--interjections=0"])).toMatchObject({
    counts: [2, 6],
    interjections: 0,
    hasPeer: false,
  });
});

it.each([
  "--counts=",
  "--counts=a",
  "--counts=0",
  "--counts=1.5",
  "--counts=65",
  "--counts=4,",
])("refuses %s", (word) => {
  expect(() => withOptions(conversations, [word])).toThrow(RangeError);
});
