import { describe, expect, it } from "vitest";
import { endOfTurnMs } from "./end-of-turn.js";

const ms = (text: string, language = "en"): number => endOfTurnMs(text, "balanced", language);
const finished = ms("I would like a table for tonight.");

describe("the silence that ends a turn", () => {
  it("is longer the more relaxed the agent is", () => {
    const text = "I would like a table for tonight.";
    expect(endOfTurnMs(text, "relaxed", "en")).toBe(900);
    expect(endOfTurnMs(text, "balanced", "en")).toBe(550);
    expect(endOfTurnMs(text, "eager", "en")).toBe(300);
  });

  it.each([
    ["en", "I would like to"],
    ["en", "I'd like a table for two and."],
    ["en", "It's about the"],
    ["en", "well um"],
    ["en", "On Monday,"],
    ["en", "my number is five five"],
    ["en", "The number is 555"],
    ["en", "it is 0 3 0"],
    ["de", "Ich hätte gern einen Tisch für"],
    ["de", "Ich wollte fragen, ob das geht und"],
    ["de", "meine Nummer ist null drei null"],
    ["fr", "Je voudrais une table pour"],
    ["fr", "c'est parce que"],
    ["es", "Quiero una mesa para"],
    ["es", "mi número es cinco cinco"],
    ["ja", "明日の朝、"],
  ])("is longer while the words look unfinished (%s: %s)", (language, text) => {
    expect(ms(text, language)).toBeGreaterThan(finished + 500);
  });

  it.each([
    ["en", "No, thanks."],
    ["en", "yes"],
    ["en", "That's all."],
    ["de", "Ja, bitte."],
    ["fr", "Oui."],
    ["es", "No, gracias."],
  ])("is shorter after a short answer that is whole (%s: %s)", (language, text) => {
    expect(ms(text, language)).toBeLessThan(finished);
  });

  it.each([
    ["en", "What is this for?"],
    ["en", "That's what I'm looking for."],
    ["en", "My number is five five five oh one two three"],
    ["en", "I have two"],
    ["de", "Wofür ist das gut?"],
    ["ja", "予約したいです"],
    ["xx", "and"],
    ["en", ""],
  ])("is the usual one otherwise (%s: %s)", (language, text) => {
    expect(ms(text, language)).toBe(finished);
  });
});
