import { describe, expect, it } from "vitest";
import { noise, tone } from "#audio/testing/signals";
import { echoPattern, hasEchoPattern } from "../../cli/doctor/phone/echo-pattern.js";

const RATE = 24_000;

function joined(...parts: Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

describe("the pattern that an echo says again", () => {
  const pattern = echoPattern(RATE);
  const greeting = tone(425, 1, RATE);

  it("is found after a greeting, quietly and in noise", () => {
    const quiet = pattern.map((sample) => sample / 8);
    const hiss = noise(quiet.length, 0.01);
    const noisy = quiet.map((sample, at) => sample + (hiss[at] ?? 0));
    expect(hasEchoPattern(pattern, RATE)).toBe(true);
    expect(hasEchoPattern(joined(greeting, new Int16Array(RATE), noisy, greeting), RATE)).toBe(true);
  });

  it("is found where its first tone was said before", () => {
    const first = pattern.subarray(0, pattern.length / 3);
    expect(hasEchoPattern(joined(first, new Int16Array(2 * RATE), pattern), RATE)).toBe(true);
  });

  it.each([
    ["nothing", new Int16Array(0)],
    ["silence", new Int16Array(RATE)],
    ["noise", noise(2 * RATE, 0.3)],
    ["a ringing tone", greeting],
    ["two of three tones", echoPattern(RATE).subarray(0, (echoPattern(RATE).length * 2) / 3)],
    ["the tones the other way round", echoPattern(RATE).reverse()],
  ])("is not in %s", (_, samples) => {
    expect(hasEchoPattern(samples, RATE)).toBe(false);
  });
});
