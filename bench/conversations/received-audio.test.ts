import { expect, it } from "vitest";
import { AUDIBLE, audibleSpanMs, firstAudibleAtMs, framesOf, lastAudibleAtMs, silentAtMs } from "./received-audio.js";

/** A frame each 10 ms from 0 on, audible where the text has an x. */
const frames = (text: string) =>
  [...text].map((mark, at) => ({ atMs: at * 10, loudness: mark === "x" ? AUDIBLE : AUDIBLE * 0.99 }));

it("finds the first audible frame since a time, and none where none came", () => {
  expect(firstAudibleAtMs(frames("x..xx"), 5)).toBe(30);
  expect(firstAudibleAtMs(frames("x...."), 5)).toBeNull();
});

it("finds the end of the last audible frame between two times", () => {
  expect(lastAudibleAtMs(frames("xx..xx.x"), 0, 60)).toBe(60);
  expect(lastAudibleAtMs(frames("xx......"), 20, 60)).toBeNull();
});

it("finds when somebody fell silent: short pauses are none, and speech that goes on is not silence", () => {
  expect(silentAtMs(frames("xxx.xx.....xx"), 0, 50)).toBe(60);
  expect(silentAtMs(frames("xxx.xx....xxx"), 0, 50)).toBeNull();
});

it("takes who is silent already for silent from the start", () => {
  expect(silentAtMs(frames("xx........"), 30, 50)).toBe(30);
});

it("measures a recording from its first audible frame to its last", () => {
  const samples = new Int16Array(16_000);
  samples.fill(1000, 1600, 3200);
  samples.fill(1000, 4800, 6400);
  expect(audibleSpanMs(samples, 16_000)).toBe(300);
  expect(audibleSpanMs(new Int16Array(16_000), 16_000)).toBe(0);
  expect(framesOf(samples, 16_000)).toHaveLength(100);
});
