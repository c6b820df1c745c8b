import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Emissions, SearchOptions } from "../decoding/beam-search.js";
import { createLexiconDecoder } from "../decoding/lexicon-words.js";
import { readTokens } from "../decoding/tokens.js";
import { readWordsFile } from "../decoding/words-file.js";
import { embeddedModels } from "../../repository/embedded.js";
import { createPronouncer } from "./pronouncer.js";

const folder = join(embeddedModels, "parley-asr-en");
const { names } = readTokens(readFileSync(join(folder, "tokens.txt"), "utf8"));
const options: SearchOptions = { lmWeight: 0.9, wordBonus: 0, beam: 300, threshold: 14, blank: 0 };
const decode = createLexiconDecoder(readWordsFile(readFileSync(join(folder, "words.bin"))), names, options);
const pronounce = createPronouncer(names);

/** As if each symbol were clearly heard for two frames, with a pause after it. */
function heard(symbols: readonly number[]): Emissions {
  const frames = symbols.flatMap((symbol) => [symbol, symbol, 0]);
  const values = new Float32Array(frames.length * names.length).fill(Math.log(0.1 / (names.length - 1)));
  for (const [frame, symbol] of frames.entries()) values[frame * names.length + symbol] = Math.log(0.9);
  return { values, frames: frames.length, symbols: names.length };
}

/** The words found where somebody says `text`. */
function wordsOf(text: string, keyterms?: readonly string[]): string[] {
  const symbols = text.split(" ").flatMap((word) => [...(pronounce(word) ?? [])]);
  return (decode(heard(symbols), () => false, keyterms) ?? []).map((word) => word.text);
}

const phonesOf = (text: string): string => [...(pronounce(text) ?? [])].map((symbol) => names[symbol]).join(" ");

describe("pronouncer", () => {
  it.each([
    ["Parley", "p aa r l iy"],
    ["GPU", "jh iy p iy y uw"],
    ["GPT-4", "jh iy p iy t iy f ao r"],
    ["Okta", "ow k t ax"],
  ])("reads %s", (text, phones) => {
    expect(phonesOf(text)).toBe(phones);
  });

  it("has nothing for what is no word, and for symbols that are no phones", () => {
    expect(pronounce("…")).toBeNull();
    expect(createPronouncer(["<blk>", "a", "b"])("Parley")).toBeNull();
  });
});

describe("keyterms", () => {
  it("are found though the lexicon lacks them, and written as in the list", () => {
    expect(wordsOf("we use Kubernetes today")).not.toContain("Kubernetes");
    expect(wordsOf("we use Kubernetes today", ["Kubernetes", "Okta"])).toEqual(["we", "use", "Kubernetes", "today"]);
  });

  it("are found where a commoner word sounds alike", () => {
    expect(wordsOf("hello from Parley", ["Parley"])).toEqual(["hello", "from", "Parley"]);
  });

  it("may be terms of several words, and letters in capitals", () => {
    expect(wordsOf("ask Home Zentrale now", ["Home Zentrale"])).toContain("Zentrale");
    expect(wordsOf("it is an SLA", ["SLA"])).toContain("SLA");
  });

  it("change nothing where they are not said, nor where all of them are common words or none can be said", () => {
    const text = "please open the window before you leave the room";
    const without = wordsOf(text);
    expect(without).toEqual(text.split(" "));
    for (const list of [
      ["Kubernetes", "Okta", "Grafana"],
      ["the", "window", "please"],
      ["—", "…"],
    ])
      expect(wordsOf(text, list)).toEqual(without);
  });

  it("give equal words again after other lists", () => {
    const lists = ["Okta", "Grafana", "Figma", "Vercel", "Jira", "Kafka"].map((word) => [word, "Kubernetes"]);
    const once = lists.map((list) => wordsOf("we use Kubernetes today", list));
    expect(lists.map((list) => wordsOf("we use Kubernetes today", list))).toEqual(once);
    expect(wordsOf("we use Kubernetes today")).toEqual(wordsOf("we use Kubernetes today", []));
  });
});
