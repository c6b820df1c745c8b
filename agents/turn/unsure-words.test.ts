import { expect, it } from "vitest";
import { isUnsure, isUnsurePartial } from "./unsure-words.js";

const words = (...confidences: number[]) =>
  confidences.map((confidence, at) => ({ text: "word", startMs: at * 100, endMs: at * 100 + 90, confidence }));

it("takes one or two words of low confidence for what may be a hum", () => {
  // What the recognizer made of "Mhm" and "Uh-huh" of our own voices.
  expect(isUnsure(words(0.34, 0.18))).toBe(true);
  expect(isUnsure(words(0.22))).toBe(true);
  // And of "Yeah", "Wait a moment" and "Stop".
  expect(isUnsure(words(0.52))).toBe(false);
  expect(isUnsure(words(0.48, 0.81, 0.83))).toBe(false);
  expect(isUnsure(words(0.95))).toBe(false);
});

it("takes the names of letters for a hum, however sure, but for I and what spells something", () => {
  const letters = (text: string) =>
    text.split(" ").map((letter, at) => ({ text: letter, startMs: at * 100, endMs: at * 100 + 90, confidence: 0.9 }));
  // What the recognizer made of "Uh-huh" and "Mhm".
  expect([isUnsure(letters("n n")), isUnsurePartial(letters("m"))]).toEqual([true, true]);
  expect([isUnsure(letters("I")), isUnsure(letters("a b c")), isUnsure(letters("n no"))]).toEqual([
    false,
    false,
    false,
  ]);
});

it("takes more words for words, however unsure, and none for none", () => {
  expect(isUnsure(words(0.1, 0.1, 0.1))).toBe(false);
  expect(isUnsure([])).toBe(false);
});

it("is less sure of words that may change", () => {
  // What "Mhm" was on its way to words that were told for a hum.
  expect([isUnsurePartial(words(0.564, 0.426)), isUnsure(words(0.564, 0.426))]).toEqual([true, false]);
  // "no", which became "okay"; "no" of somebody who said it.
  expect(isUnsurePartial(words(0.264))).toBe(true);
  expect(isUnsurePartial(words(0.9))).toBe(false);
  expect(isUnsurePartial(words(0.3, 0.2, 0.1))).toBe(false);
});
