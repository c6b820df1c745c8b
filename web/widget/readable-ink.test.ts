import { describe, expect, it } from "vitest";
import { readableInk } from "./readable-ink.js";

describe("ink on a colour", () => {
  it("is what is read better", () => {
    expect(readableInk("rgb(47, 111, 94)")).toBe("#fff");
    expect(readableInk("rgb(255, 220, 0)")).toBe("#000");
    expect(readableInk("rgba(255, 255, 255, 0.5)")).toBe("#000");
    expect(readableInk("rgb(0, 0, 0)")).toBe("#fff");
    // Both are read as well on this grey, to a hundredth.
    expect([readableInk("rgb(117, 117, 117)"), readableInk("rgb(118, 118, 118)")]).toEqual(["#fff", "#000"]);
  });

  it("is white on what is written in another way", () => {
    expect(readableInk("color(srgb 1 1 1)")).toBe("#fff");
  });
});
