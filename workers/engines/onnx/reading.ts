import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { EnglishFrontEnd } from "../../text/pronunciation/front-end.js";
import type { SpokenText, TextRange } from "../../text/spoken-text.js";
import type { Phonemizer } from "../espeak/phonemizer.js";
import { kokoroSymbols } from "./kokoro-phonemes.js";
import type { KokoroVoice } from "./kokoro-voice.js";
import { textSymbols, type VoiceSymbol } from "./symbols.js";
import type { VoiceConfig } from "./voice-config.js";

/**
 * What the symbols of a voice are: letters, espeak's phonemes, those of our own front end, or Kokoro's spelling of
 * espeak's.
 */
export type SymbolKind = "text" | "espeak" | "parley-en" | "kokoro";

/**
 * Turns spoken text into the symbols of a voice. `source` is the chunk's own text, which still has the writer's stars.
 */
export type VoiceReader = (spoken: SpokenText, source: string, speakerId: number) => Promise<VoiceSymbol[]>;

/** The lexicon of a `parley-en` voice when its manifest names none. */
const DEFAULT_LEXICON = "lexicon.bin";

/** Makes the reader of a voice. Throws `ModelProblem` when what it needs is not there. */
export async function openReader(
  kind: SymbolKind,
  model: ModelFolder,
  config: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<VoiceReader> {
  if (kind === "text") return async ({ text }) => textSymbols(text);
  if (kind === "parley-en") return englishReader(openFrontEnd(model));
  await phonemizer.start();
  return async ({ text, language }) => await phonemizer.phonemize(text, config.espeak?.voice ?? language);
}

/** Makes the reader of a Kokoro voice, whose speakers have accents of their own. */
export async function openKokoroReader(voice: KokoroVoice, phonemizer: Phonemizer): Promise<VoiceReader> {
  await phonemizer.start();
  return async ({ text }, _source, speakerId) => {
    const { espeakVoice, accent } = voice.accentOf(speakerId);
    return kokoroSymbols(await phonemizer.phonemize(text, espeakVoice), accent);
  };
}

function openFrontEnd({ folder, manifest }: ModelFolder): EnglishFrontEnd {
  const path = manifest.files.lexicon?.path ?? DEFAULT_LEXICON;
  if (!existsSync(join(folder, path))) throw new ModelProblem(`file ${path} (lexicon) is missing`);
  try {
    return EnglishFrontEnd.load(join(folder, path));
  } catch (cause) {
    throw new ModelProblem(`the lexicon cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function englishReader(frontEnd: EnglishFrontEnd): VoiceReader {
  return async (spoken, source) => {
    const starred = starredRanges(source);
    const isStarred = (range: TextRange): boolean => {
      if (starred.length === 0) return false;
      const { start, end } = spoken.toSource(range);
      return starred.some((stars) => start >= stars.start && end <= stars.end);
    };
    return frontEnd.pronounce(spoken.text, isStarred);
  };
}

/** What stands between single or double stars, as chat messages stress words. */
function starredRanges(source: string): TextRange[] {
  if (!source.includes("*")) return [];
  return [...source.matchAll(/(?<![*\w])(\*{1,2})(?=[^\s*])([^*\n]{1,80})(?<=\S)\1(?![*\w])/gu)].map(
    ({ index, 0: whole }) => ({ start: index, end: index + whole.length }),
  );
}
