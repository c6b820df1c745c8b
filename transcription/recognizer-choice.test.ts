import { expect, it } from "vitest";
import type { ServedModel } from "#protocol/bus/membership";
import { chooseRecognizer, describeLanguage } from "./recognizer-choice.js";

const config = { PARLEY_MODEL_MAP: { "transcribe-1": "mine+second" } };
const of = (name: string, ...languages: string[]): ServedModel => ({
  name,
  task: "transcribe",
  languages,
  sampleRate: 16_000,
  speakers: [],
  maxBatch: 4,
  provider: "cpu",
});
const choose = (language: string | undefined, ...served: ReturnType<typeof of>[]) =>
  chooseRecognizer(served, language, config);

it("takes the recognizer of the settings where it knows the language, else any that does", () => {
  expect(choose(undefined, of("other", "de"), of("mine", "en"))).toEqual({ folder: "mine", language: null });
  expect(choose("en", of("other", "de"), of("mine", "en")).folder).toBe("mine");
  expect(choose("de", of("other", "de"), of("mine", "en")).folder).toBe("other");
  expect(choose("fr", of("all", "*"), of("mine", "en")).folder).toBe("all");
  expect(choose(undefined, of("other", "de")).folder).toBe("other");
  expect(choose("de", of("other", "de"), of("second", "de"), of("mine", "en")).folder).toBe("second");
});

it("knows a language by each of its names", () => {
  for (const name of ["en", "EN", "eng", "en-US", "en_gb"]) expect(choose(name, of("mine", "en")).folder).toBe("mine");
  expect(choose("en_gb", of("mine", "en")).language).toBe("en-GB");
});

it("lists what there is when it knows none, and says when there is nobody", () => {
  for (const name of ["de", "xx", "english", "-", "日本語", "e"]) {
    expect(() => choose(name, of("mine", "en"), of("other", "fr", "en"))).toThrow(
      "No loaded recognizer knows this language; available: en, fr",
    );
  }
  expect(() => choose("en")).toThrow("No worker serves the model transcribe-1 right now");
});

it("names a language that has a name", () => {
  expect(describeLanguage("en-US")).toEqual({ language_code: "en", language: "English" });
  expect(describeLanguage("und")).toEqual({});
  expect(describeLanguage(null)).toEqual({});
  expect(describeLanguage("not a tag")).toEqual({});
});
