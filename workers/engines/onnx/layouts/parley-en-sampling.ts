import type { SpeechChunk } from "#protocol/speech/chunk";
import { departures, LEVEL_UNIT_SEMITONES, paceFactor, variation } from "../../sampling.js";
import { isPauseMark, type VoiceSymbol } from "../symbols.js";

/** Semitones of a word's accent per unit of departure. */
const ACCENT_UNIT_SEMITONES = 3;

/** `ˈ` in the symbols of `parley-en`. */
const STRESS = "\u02c8";

/**
 * Symbols read as freely as the chunk's sampling allows, for graphs that are steered by id: each phrase gets a pitch
 * and a pace of its own, each word with a stress an accent. The symbols themselves where the sampling leaves no room.
 */
export function variedSymbols(
  symbols: readonly VoiceSymbol[],
  { sampling, seed }: Pick<SpeechChunk, "sampling" | "seed">,
): readonly VoiceSymbol[] {
  const varied = variation(sampling);
  if (varied.reach === 0) return symbols;
  const [nextLevel, nextPace, nextAccent] = [
    departures(seed, "level", varied),
    departures(seed, "pace", varied),
    departures(seed, "accent", varied),
  ];
  return runs(symbols, isPauseMark).flatMap((phrase) => {
    const [level, pace] = [LEVEL_UNIT_SEMITONES * nextLevel(), paceFactor(nextPace())];
    return runs(phrase, (symbol) => symbol === " ").flatMap((word) => {
      const accent = word.some(({ symbol }) => symbol === STRESS) ? ACCENT_UNIT_SEMITONES * nextAccent() : 0;
      return word.map((symbol) => (isPauseMark(symbol.symbol) ? symbol : moved(symbol, level + accent, pace)));
    });
  });
}

function moved(symbol: VoiceSymbol, semitones: number, pace: number): VoiceSymbol {
  return {
    ...symbol,
    pitchSemitones: (symbol.pitchSemitones ?? 0) + semitones,
    durationFactor: (symbol.durationFactor ?? 1) / pace,
  };
}

/** The symbols in runs, each with the one that ends it. */
function runs(symbols: readonly VoiceSymbol[], ends: (symbol: string) => boolean): VoiceSymbol[][] {
  const found: VoiceSymbol[][] = [[]];
  for (const symbol of symbols) {
    found.at(-1)?.push(symbol);
    if (ends(symbol.symbol)) found.push([]);
  }
  return found.filter((run) => run.length > 0);
}
