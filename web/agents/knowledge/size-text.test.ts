import { expect, it } from "vitest";
import { sizeText } from "./size-text.js";

it("writes sizes as people read them", () => {
  expect([0, 1023, 1024, 10_000, 1024 * 1024].map(sizeText)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1 KB",
    "10 KB",
    "1.0 MB",
  ]);
});
