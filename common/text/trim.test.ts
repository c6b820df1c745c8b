import fc from "fast-check";
import { expect, it } from "vitest";
import { withoutTrailing } from "./trim.js";

it("withoutTrailing takes the characters off the end only", () => {
  expect(["100", "000", "", "10x", "0 0"].map((text) => withoutTrailing(text, "0"))).toEqual([
    "1",
    "",
    "",
    "10x",
    "0 ",
  ]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "_", "-") }), (text) => {
      expect(withoutTrailing(text, "_-")).toBe(text.replace(/[_-]+$/, ""));
    }),
  );
});
