import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cutText } from "./text-pieces.js";
import { readTokenizer, type Tokenizer } from "./tokenizer.js";

const directory = mkdtempSync(join(tmpdir(), "parley-tokenizer-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** A vocabulary of these pieces, after the special ones and, if wanted, the bytes. */
function tokenizer(
  scores: Readonly<Record<string, number>>,
  hasBytes = true,
): { encode: Tokenizer["encode"]; names: string[] } {
  const bytes = Array.from(
    { length: hasBytes ? 256 : 0 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const special = Object.fromEntries(["<unk>", "<s>", "</s>", "<pad>", ...bytes].map((name) => [name, 0]));
  const all: Record<string, number> = { ...special, ...scores };
  const names = Object.keys(all);
  const [vocab, tokenScores] = [join(directory, "vocab.json"), join(directory, "token_scores.json")];
  writeFileSync(vocab, JSON.stringify(Object.fromEntries(names.map((name, id) => [name, id]))));
  writeFileSync(tokenScores, JSON.stringify(all));
  return { encode: readTokenizer({ vocab, scores: tokenScores }).encode, names };
}

describe("the tokenizer", () => {
  const scores = {
    "\u2581": -3,
    a: -3,
    b: -3,
    c: -3,
    "\u2581a": -3.5,
    ab: -4,
    "\u2581ab": -7,
    bc: -5,
    "\u{1f600}": -6,
  };
  const { encode, names } = tokenizer(scores);
  const piecesOf = (text: string): string[] => encode(text).map(({ id }) => names[id] ?? "");

  it("takes the likeliest pieces, not the longest", () => {
    // ▁a bc: -8.5; ▁ab c: -10; ▁ a bc: -11.
    expect(piecesOf("abc")).toEqual(["\u2581a", "bc"]);
    expect(piecesOf("ab ab")).toEqual(["\u2581a", "b", "\u2581a", "b"]);
  });

  it("spells what it does not know in bytes, and never takes text for a special token", () => {
    expect(piecesOf("é")).toEqual(["\u2581", "<0xC3>", "<0xA9>"]);
    expect(piecesOf("<s>")).toEqual(["\u2581", "<0x3C>", "<0x73>", "<0x3E>"]);
    expect(piecesOf("<0x41>").length).toBe(7);
    expect(piecesOf("\u{1f600}\u{1f601}")).toEqual(["\u2581", "\u{1f600}", "<0xF0>", "<0x9F>", "<0x98>", "<0x81>"]);
  });

  it("gives one token for what it does not know where the vocabulary has no bytes", () => {
    const plain = tokenizer(scores, false);
    expect(plain.encode("aé").map(({ id }) => plain.names[id])).toEqual(["\u2581a", "<unk>"]);
  });

  it("says where each token stands in the text", () => {
    expect(encode("a bc").map(({ start, end }) => [start, end])).toEqual([
      [0, 1],
      [1, 2],
      [2, 4],
    ]);
    expect(encode("")).toHaveLength(1);
  });
});

describe("the pieces of a text", () => {
  const letters = Object.fromEntries(
    [..."\u2581abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,?!"].map((c) => [c, -3]),
  );
  const words = tokenizer(letters);
  const cut = (text: string): string[] => cutText(text, words).map(({ range }) => text.slice(range.start, range.end));

  it("are whole sentences up to fifty tokens, and one longer sentence up to a hundred", () => {
    const short = "One two three. Four five six! ";
    expect(cut(`${short}${short}`)).toEqual([`${short}One two three. `, "Four five six! "]);
    const long = "word ".repeat(18).trim();
    expect(cut(`${long}. ${short}`)).toEqual([`${long}. `, short]);
  });

  it("are clauses of a sentence that is longer, then words, then what fits", () => {
    const clause = "word ".repeat(12).trim();
    expect(cut(`${clause}, ${clause}, ${clause}`)).toEqual([`${clause}, `, `${clause}, `, clause]);
    for (const piece of cut("word ".repeat(60))) expect(piece).toMatch(/^(?:word )+$/);
    expect(cut("a".repeat(250)).join("")).toBe("a".repeat(250));
    for (const { tokens } of cutText("a".repeat(250), words)) expect(tokens.length).toBeLessThanOrEqual(102);
  });

  it("are said as sentences", () => {
    const said = (text: string): string[] => cutText(text, words).map(({ sentence }) => sentence);
    expect(said("  hello \n you ")).toEqual(["Hello you."]);
    expect(said("Is it?")).toEqual(["Is it?"]);
    expect(said("…  ?!")).toEqual([]);
  });
});
