import { expect, it } from "vitest";
import { addressesOf } from "./addresses.js";

it("reads addresses between blanks, commas and line ends", () => {
  expect(addressesOf(" 203.0.113.7, 198.51.100.0/24\n2001:db8::1 ")).toEqual([
    "203.0.113.7",
    "198.51.100.0/24",
    "2001:db8::1",
  ]);
  expect(addressesOf("  ")).toEqual([]);
});
