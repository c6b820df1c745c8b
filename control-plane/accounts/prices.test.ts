import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationMicros, costMicros, creditText, parseCredit } from "./prices.js";

describe("costMicros", () => {
  it("counts characters for speech and seconds for transcription, rounded up", () => {
    expect(costMicros({ model: "s1", characters: 1, audioMs: 9999 })).toBe(15);
    expect(costMicros({ model: "s2-pro", characters: 1_000_000, audioMs: 0 })).toBe(15_000_000);
    expect(costMicros({ model: "transcribe-1", characters: 500, audioMs: 1001 })).toBe(101);
  });

  it("counts minutes for conversations, as their holds do", () => {
    const usage = { model: "conversation", characters: 0, audioMs: 0 };
    expect(costMicros({ ...usage, conversationMs: 90_001 })).toBe(conversationMicros(90_001));
    expect(costMicros(usage)).toBe(0);
  });

  it.each(["s2.1-pro-free", "my-own-model", "__proto__", "constructor"])("asks nothing for %s", (model) => {
    expect(costMicros({ model, characters: 1000, audioMs: 1000 })).toBe(0);
  });
});

describe("conversationMicros", () => {
  it.each([
    [0, 0],
    [1, 1],
    [1000, 167],
    [60_000, 10_000],
    [1_800_000, 300_000],
    [-5, 0],
  ])("asks for %i ms of conversation %i", (durationMs, micros) => {
    expect(conversationMicros(durationMs)).toBe(micros);
  });
});

describe("creditText", () => {
  it.each([
    [0, "0"],
    [1, "0.000001"],
    [-1, "-0.000001"],
    [1_500_000, "1.5"],
    [1_000_000_000, "1000"],
    [-2_250_000, "-2.25"],
  ])("writes %i micro-units as %s", (micros, text) => {
    expect(creditText(micros)).toBe(text);
  });

  it("loses nothing", () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000, max: 9_000_000_000_000 }), (micros) => {
        expect(Math.round(Number(creditText(micros)) * 1_000_000)).toBe(micros);
      }),
    );
  });
});

describe("parseCredit", () => {
  it("reads back whatever creditText writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), (micros) => {
        expect(parseCredit(creditText(micros))).toBe(micros);
      }),
    );
  });

  it.each([
    "",
    " 1",
    "1e3",
    "1,5",
    "0.0000001",
    "1000000000",
    "--1",
    "+1",
    "0x1",
    "NaN",
    "1.",
  ])("refuses %j", (text) => {
    expect(parseCredit(text)).toBeNull();
  });
});
