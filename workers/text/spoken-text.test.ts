import { describe, expect, it } from "vitest";
import { detectLanguage } from "#common/text/language";
import { testChunk } from "../engines/testing/speak.js";
import { spokenText } from "./spoken-text.js";
import { WordTimer } from "./words.js";

describe("spoken text", () => {
  it("keeps every offset where nothing is read out otherwise", () => {
    const spoken = spokenText(testChunk("Hello 😀 there\u0007!"));
    expect(spoken.text).toBe("Hello    there !");
    expect(spoken.toSource({ start: 9, end: 14 })).toEqual({ start: 9, end: 14 });
  });

  it("leads from read-out words back to what was written", () => {
    const text = "Pay $5 to Dr. Who by 3:30.";
    const spoken = spokenText(testChunk(text, { normalize: true }));
    expect(spoken.text).toContain("dollars");
    const at = spoken.text.indexOf("dollars");
    const source = spoken.toSource({ start: at, end: at + 7 });
    expect(text.slice(source.start, source.end)).toBe("$5");
    const by = spoken.text.indexOf("by");
    const plain = spoken.toSource({ start: by, end: by + 2 });
    expect(text.slice(plain.start, plain.end)).toBe("by");
  });

  it("reads out English only", () => {
    expect(spokenText(testChunk("Das kostet 5 €.", { normalize: true, voice: { language: "de" } })).text).toBe(
      "Das kostet 5 €.",
    );
    expect(spokenText(testChunk("Это стоит 5 долларов.", { normalize: true }))).toMatchObject({
      language: "ru",
      text: "Это стоит 5 долларов.",
    });
  });

  it.each([
    ["Hello there", "en"],
    ["12 !?", "en"],
    ["Привет, John", "ru"],
    ["你好世界", "zh"],
    ["東京へ行く", "ja"],
    ["안녕하세요", "ko"],
    ["مرحبا", "ar"],
    ["नमस्ते", "hi"],
    ["Γειά σου", "el"],
    ["שלום", "he"],
    ["สวัสดี", "th"],
    ["The word Привет means hello", "en"],
  ])("takes %j for %s", (text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });
});

describe("word timing", () => {
  const timer = (text: string, normalize = false): WordTimer =>
    new WordTimer(text, spokenText(testChunk(text, { normalize })));

  it("ends each word where the next begins, the last with the sound", () => {
    const words = timer("Well, hello you");
    expect(words.mark({ range: { start: 0, end: 4 }, atMs: 0 })).toEqual([]);
    expect(words.mark({ range: { start: 6, end: 11 }, atMs: 300 })).toEqual([
      { text: "Well", startMs: 0, endMs: 300, sourceStart: 0, sourceEnd: 4 },
    ]);
    expect(words.mark({ range: { start: 12, end: 15 }, atMs: 600 })).toEqual([
      { text: "hello", startMs: 300, endMs: 600, sourceStart: 6, sourceEnd: 11 },
    ]);
    expect(words.finish(900)).toEqual([{ text: "you", startMs: 600, endMs: 900, sourceStart: 12, sourceEnd: 15 }]);
    expect(words.finish(900)).toEqual([]);
  });

  it("never runs backwards, whatever the engine says", () => {
    const words = timer("one two three");
    words.mark({ range: { start: 4, end: 7 }, atMs: 500 });
    expect(words.mark({ range: { start: 0, end: 3 }, atMs: 600 })).toEqual([]);
    const [two] = words.mark({ range: { start: 8, end: 13 }, atMs: 400 });
    const [three] = words.finish(100);
    expect(two).toMatchObject({ text: "two", startMs: 500, endMs: 500 });
    expect(three).toMatchObject({ text: "three", startMs: 500, endMs: 500 });
  });

  it("passes over marks that are outside every word", () => {
    const words = timer("... hi");
    expect(words.mark({ range: { start: 0, end: 1 }, atMs: 0 })).toEqual([]);
    words.mark({ range: { start: 4, end: 6 }, atMs: 100 });
    expect(words.finish(200)).toMatchObject([{ text: "hi", startMs: 100 }]);
  });
});
