import { describe, expect, it } from "vitest";
import { defaultSampling } from "#protocol/speech/chunk";
import { variedSymbols } from "./parley-en-sampling.js";
import type { VoiceSymbol } from "../symbols.js";

/** "hello there, my friend." as `parley-en` spells it. */
const symbols: VoiceSymbol[] = [..."həlˈO ðˈɛɹ, mI fɹˈɛnd."].map((symbol, at) => ({
  symbol,
  range: { start: at, end: at + 1 },
}));
const lively = { ...defaultSampling, temperature: 1, topP: 1 };
const shape = (varied: readonly VoiceSymbol[], from: number, to: number): string[] => [
  ...new Set(varied.slice(from, to).map(({ pitchSemitones, durationFactor }) => `${pitchSemitones} ${durationFactor}`)),
];

describe("symbols that are read freely", () => {
  it("are the same ones, untouched, with the default sampling or less", () => {
    for (const temperature of [0, 0.1, 0.7]) {
      expect(variedSymbols(symbols, { sampling: { ...defaultSampling, temperature }, seed: 3 })).toBe(symbols);
    }
  });

  it("have a pace for each phrase and a pitch for each word with a stress; pauses are left alone", () => {
    const varied = variedSymbols(symbols, { sampling: lively, seed: 3 });
    expect(varied.map(({ symbol, range }) => ({ symbol, range }))).toEqual(symbols);
    const words = [shape(varied, 0, 6), shape(varied, 6, 10), shape(varied, 12, 15), shape(varied, 15, 21)];
    expect(words.map((word) => word.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(words.flat()).size).toBe(4);
    expect([varied[10], varied[21]]).toEqual([symbols[10], symbols[21]]);
    const paces = varied.map(({ durationFactor }) => durationFactor);
    expect([new Set(paces.slice(0, 10)).size, new Set(paces.slice(11, 21)).size, paces[0] === paces[11]]).toEqual([
      1,
      1,
      false,
    ]);
  });

  it("keep what the front end asked for, besides what is drawn", () => {
    const accented = symbols.map((symbol) => ({ ...symbol, pitchSemitones: 2, durationFactor: 1.5 }));
    const [plain, raised] = [symbols, accented].map((all) => variedSymbols(all, { sampling: lively, seed: 3 }));
    expect([plain?.[0]?.pitchSemitones ?? 0, plain?.[0]?.durationFactor ?? 1]).not.toEqual([0, 1]);
    for (const [i, symbol] of (raised ?? []).entries()) {
      expect((symbol.pitchSemitones ?? 0) - (plain?.[i]?.pitchSemitones ?? 0)).toBeCloseTo(2, 9);
      expect((symbol.durationFactor ?? 1) / (plain?.[i]?.durationFactor ?? 1)).toBeCloseTo(1.5, 9);
    }
  });
});
