import type { Emissions } from "./beam-search.js";
import type { Tokens } from "./tokens.js";

/** A word put together from written symbols. */
export interface SpelledWord {
  text: string;
  startFrame: number;
  endFrame: number;
  /** Mean probability of its symbols, 0 to 1. */
  confidence: number;
}

/** The mark with which word pieces begin a word (SentencePiece). */
const WORD_BEGIN = "\u2581";

interface Spelled {
  symbol: string;
  startFrame: number;
  endFrame: number;
  probability: number;
}

/**
 * Reads words off the best symbol of each frame, for recognizers whose symbols are characters or pieces of words. A
 * word begins at a symbol with the mark of word beginnings or after a space; where the recognizer knows neither, each
 * symbol is a word. Recognizers that know capital letters only give small ones.
 */
export function createSpeller({ names, blank }: Tokens): (emissions: Emissions) => SpelledWord[] {
  const written = names.map((name) => (/^<.*>$/.test(name) ? "" : name.replaceAll(WORD_BEGIN, " ")));
  const marksWords = written.some((symbol) => symbol.startsWith(" "));
  const capitalsOnly = !written.some((symbol) => symbol !== symbol.toUpperCase());
  return (emissions) => {
    const words: SpelledWord[] = [];
    let spelled: Spelled[] = [];
    const finish = (): void => {
      const text = spelled.map(({ symbol }) => symbol.trim()).join("");
      const [first, last] = [spelled[0], spelled.at(-1)];
      if (text !== "" && first !== undefined && last !== undefined) {
        const confidence = spelled.reduce((sum, { probability }) => sum + probability, 0) / spelled.length;
        words.push({
          text: capitalsOnly ? text.toLowerCase() : text,
          startFrame: first.startFrame,
          endFrame: last.endFrame,
          confidence,
        });
      }
      spelled = [];
    };
    for (const run of bestRuns(emissions, blank)) {
      const symbol = written[run.symbol] ?? "";
      if (symbol === "") continue;
      if (!marksWords || symbol.startsWith(" ")) finish();
      // A space alone has no audio of its own: the word begins with its first letter.
      if (symbol.trim() !== "") spelled.push({ ...run, symbol });
    }
    finish();
    return words;
  };
}

interface Run {
  symbol: number;
  startFrame: number;
  endFrame: number;
  /** The highest of the run. */
  probability: number;
}

/** Runs of frames with one best symbol, blanks left out. */
function bestRuns({ values, frames, symbols }: Emissions, blank: number): Run[] {
  const runs: Run[] = [];
  let before = blank;
  for (let frame = 0; frame < frames; frame++) {
    const row = frame * symbols;
    let best = 0;
    for (let k = 1; k < symbols; k++) if ((values[row + k] as number) > (values[row + best] as number)) best = k;
    const probability = Math.min(1, Math.exp(values[row + best] as number));
    const run = runs.at(-1);
    if (best !== blank && best === before && run !== undefined) {
      run.endFrame = frame;
      run.probability = Math.max(run.probability, probability);
    } else if (best !== blank) runs.push({ symbol: best, startFrame: frame, endFrame: frame, probability });
    before = best;
  }
  return runs;
}
