import { expect, it } from "vitest";
import { completeWords } from "./typed-text.js";

it("sends words when they are complete, once", () => {
  expect(completeWords("", "Hel")).toEqual({ kind: "more", text: "" });
  expect(completeWords("", "Hello the")).toEqual({ kind: "more", text: "Hello " });
  expect(completeWords("Hello ", "Hello the")).toEqual({ kind: "more", text: "" });
  expect(completeWords("Hello ", "Hello there,\nyou")).toEqual({ kind: "more", text: "there,\n" });
});

it("takes nothing back that was sent", () => {
  expect(completeWords("Hello ", "Hello")).toEqual({ kind: "changed" });
  expect(completeWords("Hello ", "Hallo there ")).toEqual({ kind: "changed" });
});
