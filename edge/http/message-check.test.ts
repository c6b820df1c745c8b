import { expect, it } from "vitest";
import { checkMessage } from "./message-check.js";

const check = (headers: Record<string, string>): string | null =>
  checkMessage((name) => ({ host: "a", ...headers })[name]);

it.each<[Record<string, string>, RegExp | null]>([
  [{}, null],
  [{ "content-length": "0" }, null],
  [{ "transfer-encoding": "Chunked" }, null],
  [{ host: "a, b" }, /one Host/],
  [{ "transfer-encoding": "xchunked" }, /chunked/],
  [{ "transfer-encoding": "gzip, chunked" }, /chunked/],
  [{ "transfer-encoding": "chunked, chunked" }, /chunked/],
  [{ "content-length": "5, 5" }, /one number/],
  [{ "content-length": "+5" }, /one number/],
  [{ "content-length": "0x5" }, /one number/],
])("judges %o", (headers, expected) => {
  if (expected === null) expect(check(headers)).toBeNull();
  else expect(check(headers)).toMatch(expected);
});

it("wants a host", () => {
  expect(checkMessage(() => undefined)).toMatch(/one Host/);
});
