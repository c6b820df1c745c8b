import { expect, it } from "vitest";
import { chooseModel, speakingModel, speakingVoice, takesFreeTags } from "./model.js";
import { chunkSeed, seedBase } from "./seed.js";

const config = {
  PARLEY_MODEL_ALIASES: { fast: "s1", broken: "nothing" },
  PARLEY_MODEL_MAP: { "s2-pro": "neural+espeak", s1: "other" },
};

it("finds the model of a header, by name, alias or vendor prefix", () => {
  const cases: [header: string | undefined, name: string, folder: string][] = [
    [undefined, "s2-pro", "neural+espeak"],
    ["", "s2-pro", "neural+espeak"],
    ["s1", "s1", "other"],
    [" s1 ", "s1", "other"],
    ["fish-audio/s1", "s1", "other"],
    ["service/s2-pro", "s2-pro", "neural+espeak"],
    ["speech-1.5", "s2-pro", "neural+espeak"],
    ["fast", "s1", "other"],
    ["s2.1-pro-free", "s2.1-pro-free", "s2.1-pro-free"],
  ];
  for (const [header, name, folder] of cases)
    expect([header, chooseModel(header, config)]).toEqual([header, { name, folders: folder.split("+") }]);
});

it("refuses other names with the four that exist", () => {
  for (const header of ["s3", "S1", "constructor", "__proto__", "broken", "s1,s1"]) {
    expect(() => chooseModel(header, config)).toThrow("Unknown model; use one of: s2.1-pro, s2.1-pro-free, s2-pro, s1");
  }
});

it("speaks each text with the first model that knows its language", () => {
  const models = [
    { name: "neural", languages: ["en-US"] },
    { name: "formant", languages: ["en", "de", "ru", "pt-BR"] },
    { name: "any", languages: ["*"] },
  ];
  const cases: [text: string, language: string | null, model: string][] = [
    ["Hello", null, "neural"],
    ["Hello", "en-GB", "neural"],
    ["Hallo", "de", "formant"],
    ["Olá", "pt", "formant"],
    ["Привет, Tom", null, "formant"],
    ["你好", null, "any"],
    ["The word Привет means hello", null, "neural"],
    ["12", null, "neural"],
  ];
  for (const [text, language, model] of cases)
    expect([text, speakingModel(models, text, language)]).toEqual([text, model]);
  expect(speakingModel(models.slice(0, 1), "Привет", null)).toBe("neural");
});

it("lets a speaker who was named speak with its model, and other languages another model with its own", () => {
  const named = { speaker: "ann", language: null, speed: 1, traits: null, speakerModel: "third" };
  const third = [
    { name: "neural", languages: ["en"] },
    { name: "classic", languages: ["*"] },
    { name: "third", languages: ["en"] },
  ];
  expect(speakingVoice(third, "Hello there", named)).toEqual({ model: "third", voice: named });
  expect(speakingVoice(third, "Привет", named)).toEqual({ model: "classic", voice: { ...named, speaker: null } });
  const { speakerModel: _, ...usual } = named;
  expect(speakingVoice(third, "Hello there", usual)).toEqual({ model: "neural", voice: usual });
});

it("takes free directions in the S2 family only", () => {
  expect([takesFreeTags("s1"), takesFreeTags("s2-pro"), takesFreeTags("s2.1-pro-free")]).toEqual([false, true, true]);
});

it("seeds each chunk by what is asked for, where and which text", () => {
  const voice = { speaker: null, language: null, speed: 1, traits: null };
  const base = seedBase("espeak", [voice], { text: "ignored" });
  expect(seedBase("espeak", [{ ...voice }], { text: "other" })).toBe(base);
  for (const other of [
    seedBase("m", [voice], { text: "" }),
    seedBase("espeak", [{ ...voice, prompt: { source: "library", id: "a" } }], { text: "" }),
    seedBase("espeak", [{ ...voice, speed: 2 }], { text: "" }),
    seedBase("espeak", [{ ...voice, speakerModel: "m" }], { text: "" }),
    seedBase("espeak", [voice], { text: "", top_p: 0.5 }),
  ]) {
    expect(other).not.toBe(base);
  }
  const said = { text: "", temperature: 0.7, top_p: 0.7, repetition_penalty: 1.2 };
  expect(seedBase("espeak", [voice], said), "defaults that are said").toBe(base);
  const seeds = [chunkSeed(base, 0, "a"), chunkSeed(base, 1, "a"), chunkSeed(base, 0, "b"), chunkSeed("x", 0, "a")];
  expect(new Set(seeds).size).toBe(4);
  for (const seed of seeds) expect(seed >>> 0).toBe(seed);
});
