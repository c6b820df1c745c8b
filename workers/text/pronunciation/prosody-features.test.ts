import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EnglishFrontEnd } from "./front-end.js";
import { prosodyColumns, prosodyFeatures } from "./prosody-features.js";

// From dist/workers/text/pronunciation.
const frontEnd = EnglishFrontEnd.load(
  fileURLToPath(new URL("../../../../models/parley-en/lexicon.bin", import.meta.url)),
);
const commonWords = new Map(["the", "of", "is"].map((word, i) => [word, i + 1]));
const names = Object.keys(prosodyColumns) as (keyof typeof prosodyColumns)[];

/** The columns of a text's symbols; stress marks are left out. */
function rowsOf(text: string): { symbol: string; columns: Record<string, number> }[] {
  const { tokens, symbols } = frontEnd.read(text, () => false);
  return prosodyFeatures(text, tokens, symbols, commonWords).flatMap((row, i) =>
    row === null
      ? []
      : [{ symbol: symbols[i]?.symbol ?? "", columns: Object.fromEntries(row.map((value, k) => [names[k], value])) }],
  );
}

/** One column of the first symbol of each word and pause. */
function valuesOf(text: string, column: keyof typeof prosodyColumns): number[] {
  const { tokens, symbols } = frontEnd.read(text, () => false);
  const rows = prosodyFeatures(text, tokens, symbols, commonWords);
  return tokens.map((_, token) => {
    const first = symbols.findIndex(({ tokenIndex }, i) => tokenIndex === token && rows[i] !== null);
    return rows[first]?.[names.indexOf(column)] ?? -1;
  });
}

describe("the columns that prosody is predicted from", () => {
  it("gives each phone, boundary and pause a row, and stress marks none", () => {
    const rows = rowsOf("The happy dog.");
    expect(rows.map(({ symbol }) => symbol).join("")).toBe("ðə hæpi dɔg.");
    expect(rows.filter(({ columns }) => columns["stressed"] === 1).map(({ symbol }) => symbol)).toEqual(["æ", "ɔ"]);
    const happy = rows.slice(3, 7).map(({ columns }) => [columns["syllablesBefore"], columns["syllablesAfter"]]);
    expect(happy).toEqual([
      [0, 2],
      [0, 1],
      [1, 1],
      [1, 0],
    ]);
  });

  it("says where a word stands in its phrase and sentence, and by which marks", () => {
    const text = "When it rains, the river rises. It is cold";
    expect(valuesOf(text, "wordsFromPhraseStart")).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    expect(valuesOf(text, "wordsToPhraseEnd")).toEqual([2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0]);
    expect(valuesOf(text, "wordsToSentenceEnd")).toEqual([5, 4, 3, 2, 2, 1, 0, 0, 2, 1, 0, 0]);
    expect(valuesOf(text, "phrasesToSentenceEnd")).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(valuesOf(text, "markAfterPhrase")).toEqual([2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5]);
    expect(valuesOf(text, "markBeforePhrase")).toEqual([1, 1, 1, 1, 3, 3, 3, 3, 6, 6, 6, 6]);
    expect(valuesOf("and so it goes.", "markBeforePhrase")[0]).toBe(0);
  });

  it("knows statements, the kinds of questions, exclamations and texts without an end", () => {
    const types = (text: string): number => valuesOf(text, "sentenceType")[0] ?? -1;
    expect(["It is late.", "Is it late?", "Why is it late?", "It is late!", "It is late"].map(types)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });

  it("knows common words, words said before, names and items of lists", () => {
    expect(valuesOf("The end of the road.", "word")).toEqual([1, 0, 2, 1, 0, 0]);
    expect(valuesOf("A dog saw a dog.", "saidBefore")).toEqual([0, 0, 0, 1, 1, 0]);
    expect(valuesOf("Tell Mary that Tom left.", "name")).toEqual([0, 1, 0, 1, 0, 0]);
    expect(valuesOf("Bread, milk, and eggs.", "listItem")).toEqual([1, 0, 1, 0, 0, 0, 0]);
  });

  it("gives no value that the graph has no row for", () => {
    const texts = [
      "",
      "?!",
      "Antidisestablishmentarianism, internationalization; and so on: yes | no!",
      `${"one two three four five six seven, ".repeat(12)}and what did the unbelievably patient audience of the symphony say to that?`,
    ];
    for (const text of texts) {
      for (const { columns } of rowsOf(text)) {
        for (const [name, size] of Object.entries(prosodyColumns)) {
          expect(columns[name]).toBeGreaterThanOrEqual(0);
          expect(columns[name]).toBeLessThan(size ?? commonWords.size + 1);
        }
      }
    }
  });
});
