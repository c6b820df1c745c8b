import { describe, expect, it } from "vitest";
import { isShortOfDescriptors, readDescriptors } from "./descriptor-watch.js";

describe("file descriptors", () => {
  it.each([
    [false, 89, false],
    [false, 90, true],
    [true, 85, true],
    [true, 79, false],
  ])("are short or not, with some room between: was %s, %i of 100", (wasShort, open, expected) => {
    expect(isShortOfDescriptors(wasShort, { open, limit: 100 })).toBe(expected);
  });

  it("of this process are counted", async () => {
    const seen = await readDescriptors();
    expect(seen?.open).toBeGreaterThan(5);
    expect(seen?.limit).toBeGreaterThan(seen?.open ?? Number.NaN);
  });
});
