import { expect, it } from "vitest";
import { withCursor } from "./pages.js";

it("asks for a further page behind what the address asks already", () => {
  expect(withCursor("/v1/things", null)).toBe("/v1/things");
  expect(withCursor("/v1/things", "a+b")).toBe("/v1/things?cursor=a%2Bb");
  expect(withCursor("/v1/things?search=x", "c")).toBe("/v1/things?search=x&cursor=c");
});
