import { describe, expect, it } from "vitest";
import { hasAtMostTokens, openTokenCounter } from "./token-count.js";

describe("hasAtMostTokens", () => {
  it("counts o200k_base tokens: 'hello world' is two", async () => {
    expect(await hasAtMostTokens("hello world", 2)).toBe(true);
    expect(await hasAtMostTokens("hello world", 1)).toBe(false);
    const words = "hello world".concat(" world".repeat(3998));
    expect(await hasAtMostTokens(words, 4000)).toBe(true);
    expect(await hasAtMostTokens(`${words} world`, 4000)).toBe(false);
  });

  it("takes the names of special tokens for text", async () => {
    expect(await hasAtMostTokens("<|endoftext|>".repeat(100), 4000)).toBe(true);
    expect(await hasAtMostTokens("<|endoftext|>".repeat(100), 100)).toBe(false);
  });

  it.each([
    ["one letter", "a".repeat(100_000)],
    [
      "letters at random",
      Array.from({ length: 100_000 }, (_, index) => String.fromCharCode(97 + ((index * index * 7919) % 26))).join(""),
    ],
    ["ideographs", "東京都庁舎".repeat(20_000)],
    ["emoji, whose halves must stay together", "a".concat("😀".repeat(49_999))],
  ])("counts a long run without spaces in time in proportion to its length: %s", async (_name, text) => {
    const before = process.cpuUsage();
    expect(await hasAtMostTokens(text, 4000)).toBe(false);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(3000);
  });
});

describe("openTokenCounter", () => {
  it("counts as hasAtMostTokens does, again and again", async () => {
    const count = await openTokenCounter();
    const words = "hello world".concat(" world".repeat(3998));
    expect([count("hello world"), count(words), count(words), count("")]).toEqual([2, 4000, 4000, 0]);
    for (const text of ["a".repeat(5000), "東京都庁舎".repeat(500), "<|endoftext|> x", words]) {
      expect(await hasAtMostTokens(text, count(text))).toBe(true);
      expect(await hasAtMostTokens(text, count(text) - 1)).toBe(false);
    }
  });

  it("forgets old texts, not how to count them", async () => {
    const count = await openTokenCounter();
    const texts = Array.from({ length: 1500 }, (_, index) => `number ${index}`);
    const first = texts.map(count);
    expect(texts.map(count)).toEqual(first);
  });
});
