import { expect, it } from "vitest";
import { localOrigins } from "./local-origins.js";

it("origins of this machine are spelled as browsers spell them, each once", () => {
  expect(localOrigins(3000)).toEqual([
    ...["http://localhost:3000", "http://localhost", "http://localhost:5173"],
    ...["http://127.0.0.1:3000", "http://127.0.0.1", "http://127.0.0.1:5173"],
  ]);
  expect(localOrigins(8080)).toContain("http://localhost:8080");
});
