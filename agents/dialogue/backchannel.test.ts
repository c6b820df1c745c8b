import { describe, expect, it } from "vitest";
import { interjectionOf } from "./backchannel.js";

const backchannels: [string, string[]][] = [
  ["en", ["mhm", "Uh-huh.", "Yes.", "okay", "right", "I see", "Oh, I see.", "all right", "um", "yeah yeah", "got it"]],
  ["de", ["mhm", "ja", "genau", "verstehe", "ach so", "alles klar", "Äh"]],
  ["fr", ["oui", "d'accord", "je vois", "D’accord.", "euh", "ah bon"]],
  ["es", ["sí", "vale", "claro", "ya veo", "ajá"]],
  ["ja", ["はい", "うん", "そうですね。"]],
  ["zh", ["嗯", "对对", "好的"]],
  ["ko", ["네", "그렇군요"]],
  ["xx", ["mhm", "okay"]],
];

const stops: [string, string[]][] = [
  ["en", ["stop", "Wait!", "no", "hold on", "okay, wait", "yes no"]],
  ["de", ["stopp", "Moment", "nein", "ja, warten Sie"]],
  ["fr", ["arrêtez", "non", "attendez", "excusez-moi"]],
  ["es", ["para", "espera", "no", "un momento"]],
  ["ja", ["待って"]],
];

describe("what a caller says while the agent speaks", () => {
  it.each(backchannels)("is a backchannel (%s)", (language, texts) => {
    for (const text of texts)
      expect([text, interjectionOf(text, language, false)]).toMatchObject([text, { realWords: 0, isStop: false }]);
  });

  it.each(stops)("interrupts in any case (%s)", (language, texts) => {
    for (const text of texts) expect([text, interjectionOf(text, language, false).isStop]).toEqual([text, true]);
  });

  it.each([
    ["oh no", true],
    ["no please", false],
    ["hold on", false],
    ["okay", false],
  ])("knows whether a single word at its end does: %s", (text, expected) => {
    expect(interjectionOf(text, "en", false).endsWithStop).toBe(expected);
  });

  it("counts all words where some are no backchannel, hesitations aside", () => {
    expect(interjectionOf("yes but um I want the other one", "en", false).realWords).toBe(7);
    expect(interjectionOf("but when exactly", "en", false).realWords).toBe(3);
    expect(interjectionOf("", "en", false).realWords).toBe(0);
  });

  it("is an answer after a question, hesitations aside", () => {
    expect(interjectionOf("yes", "en", true).realWords).toBe(1);
    expect(interjectionOf("mhm", "en", true).realWords).toBe(1);
    expect(interjectionOf("um", "en", true).realWords).toBe(0);
  });
});
