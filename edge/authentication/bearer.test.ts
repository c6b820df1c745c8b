import { describe, expect, it } from "vitest";
import { bearerCredential } from "./bearer.js";

describe("bearerCredential", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer   a.b_c~d/e+f=", "a.b_c~d/e+f="],
    ["BEARER abc  ", "abc"],
    [undefined, null],
    ["", null],
    ["Bearer", null],
    ["Bearer ", null],
    ["abc", null],
    ["Basic YTpi", null],
    ["Bearerabc", null],
    ["Bearer a b", null],
    ["Bearer a, Bearer b", null],
    ["Bearer é", null],
    ["Bearer a\tb", null],
  ])("reads %j as %j", (header, credential) => {
    expect(bearerCredential(header)).toBe(credential);
  });
});
