import { describe, expect, it } from "vitest";
import { termVector } from "./term-vector.js";

describe("termVector", () => {
  it("marks the heading's terms and counts all", () => {
    expect(termVector("Late arrival", "Arrival is late, late, late.")).toEqual({
      literal: "'lat':1A,4,5,6 'arrival':2A,3",
      termCount: 6,
    });
  });

  it("keeps within the database's bounds", () => {
    const { literal, termCount } = termVector("", "word ".repeat(30_000));
    expect([literal.split(",").length, termCount]).toEqual([255, 30_000]);
  });
});
