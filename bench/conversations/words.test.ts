import { expect, it } from "vitest";
import { equalWords } from "./words.js";

it("gives the share of words that were found in their order", () => {
  expect(equalWords("we open at nine", "We open at nine.")).toBe(1);
  expect(equalWords("we often at nine", "We open at nine.")).toBe(0.75);
  expect(equalWords("nine at open we", "We open at nine.")).toBe(0.25);
  expect(equalWords("", "We open at nine.")).toBe(0);
});
