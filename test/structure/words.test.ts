import { describe, expect, it } from "vitest";
import { readSources } from "./sources.js";

/**
 * Words that this project once had for things that the field has its own words for, and what it says instead. Found as
 * parts of identifiers; a word of its own may be plain English.
 */
const retired: Readonly<Record<string, string>> = {
  sound: "audio",
  heard: "recognized",
  hear: "recognize",
  hearing: "recognition",
  listening: "transcription",
  ear: "recognizer",
  ears: "recognizers",
  told: "reported",
  kept: "durable, stored",
  presence: "vad",
  reception: "assembler",
  surfaced: "headChanged",
};

/** What the words mean elsewhere: phonetics, and fields of the interface. */
const exceptions = new Set(["LetterToSound", "letterToSound"]);

/** `openSoundBus` → open, sound, bus; `MAX_SOUND_MS` → max, sound, ms. */
const partsOf = (identifier: string): string[] =>
  identifier
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .split(/[_$]+/)
    .map((part) => part.toLowerCase());

/** The identifiers of several parts, among them a retired one. */
function retiredIn(text: string): string[] {
  const found = [...text.matchAll(/[A-Za-z_$][\w$]*/g)].map(([identifier]) => identifier);
  return [...new Set(found)].filter((identifier) => {
    const parts = partsOf(identifier).filter((part) => part !== "");
    return parts.length > 1 && !exceptions.has(identifier) && parts.some((part) => Object.hasOwn(retired, part));
  });
}

describe("the words of identifiers", () => {
  it("are the field's own", () => {
    const found = readSources()
      .filter(({ path }) => path !== "test/structure/words.test.ts")
      .flatMap(({ path, text }) => retiredIn(text).map((identifier) => `${path}: ${identifier}`));
    expect(found).toEqual([]);
  });

  it("are found in parts of identifiers", () => {
    expect(retiredIn("new SoundBus(); openSound(); MAX_SOUND_SECONDS; #heardTo; sound; resound; keptAlive")).toEqual([
      "SoundBus",
      "openSound",
      "MAX_SOUND_SECONDS",
      "heardTo",
      "keptAlive",
    ]);
  });
});
