import { expect, it } from "vitest";
import { bodyText } from "./body-text.js";

it.each<[string, number[], boolean, string]>([
  ["application/json", [0xc3, 0xa9], false, "é"],
  ["text/plain; charset=iso-8859-1", [0xe9], false, "é"],
  ['text/plain; charset="Shift_JIS"', [0x82, 0xa0], false, "あ"],
  ["text/plain; charset=klingon", [0xc3, 0xa9], false, "é"],
  ["", [0x61, 0xc3], true, "a"],
  ["", [0x61, 0xc3], false, "a\ufffd"],
])("reads %j %j, cut: %s, as %j", (contentType, bytes, isCut, text) => {
  expect(bodyText(Uint8Array.from(bytes), contentType, isCut)).toBe(text);
});
