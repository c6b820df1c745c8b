import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBytePairs } from "./byte-pairs.js";
import { openTokenCounter } from "./token-count.js";
import { buildTokenTable, rankOf } from "./token-table.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a table of tokens", () => {
  const table = buildTokenTable(["a", "b", "c", undefined, "ab", [0xe2, 0x82], "abc"]);

  it("finds each token by its bytes, and nothing else", () => {
    const found = (bytes: Uint8Array): number => rankOf(table, bytes, 0, bytes.length);
    expect(["a", "c", "ab", "abc", "bc", "d", "abcd"].map((text) => found(bytesOf(text)))).toEqual([
      0, 2, 4, 6, -1, -1, -1,
    ]);
    expect(found(Uint8Array.of(0xe2, 0x82))).toBe(5);
    expect(rankOf(table, bytesOf("xabx"), 1, 3)).toBe(4);
  });

  it("merges the pair of the lowest rank first", () => {
    const count = (text: string): number => countBytePairs(table, bytesOf(text), text.length);
    expect(["", "a", "abc", "cab", "abab", "bcab"].map(count)).toEqual([0, 1, 1, 2, 2, 3]);
  });
});

it("counts what gpt-tokenizer counts, whatever the text", async () => {
  const count = await openTokenCounter();
  const theirs = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
  const script = fc.constantFrom(
    ..."The quick brown fox, jumps!\n\t  über Straße 東京都 москва हिन्दी العربية 😀👩‍👩‍👧 12345 don't I'LL <|endoftext|> \r\n/path".split(
      "",
    ),
    ..." hello world antidisestablishmentarianism \u00a0\u200b".split(" "),
  );
  const texts = fc.oneof(
    fc.array(script, { maxLength: 60 }).map((parts) => parts.join("")),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(count(text)).toBe(theirs(text));
    }),
    { numRuns: 2000 },
  );
});
