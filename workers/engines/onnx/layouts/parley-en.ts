import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../../repository/folder.js";
import { EnglishFrontEnd } from "../../../text/pronunciation/front-end.js";
import type { SpokenText, TextRange } from "../../../text/spoken-text.js";
import { nearestSpeaker } from "../steering.js";
import type { Piece, VoiceSymbol } from "../symbols.js";
import type { IdControls } from "../voice-graph.js";
import type { VoiceLayout } from "./layout.js";
import { variedSymbols } from "./parley-en-sampling.js";
import { languageOf, type PiperConfig } from "./piper-config.js";
import { piperInputs } from "./piper.js";

/** The lexicon of a voice when its manifest names none. */
const DEFAULT_LEXICON = "lexicon.bin";

/** A voice with more speakers has only its default speaker measured. */
const MOST_MEASURED = 12;

/**
 * `noise_w` of the graph is its pitch range: 0.8 is the voice's own, and each 0.5 more adds a quarter of the movement.
 */
const OWN_RANGE_SCALE = 0.8;

/**
 * Our own voices (`models/parley-en/README.md`): Piper's inputs, symbols of our own front end, noise that repeats, and
 * a graph that takes pitch, its range and controls of single ids. Throws `ModelProblem` when the lexicon is not there.
 */
export function openParleyLayout(model: ModelFolder, config: PiperConfig): VoiceLayout {
  const { num_speakers: speakers, default_speaker_id: usual, inference } = config;
  const frontEnd = openFrontEnd(model);
  return {
    config,
    graphInputs: piperInputs(config),
    languages: [languageOf(config)],
    read: async (spoken, source) => (isEnglish(spoken.language) ? readEnglish(frontEnd, spoken, source) : []),
    vary: (symbols, chunk) => ({ symbols: variedSymbols(symbols, chunk), pace: 1 }),
    defaultSpeaker: (_language, traits, own) => (traits === null ? null : nearestSpeaker(traits, own)) ?? usual,
    measuredSpeaker: (speakerId) => (speakerId === usual || speakers <= MOST_MEASURED ? speakerId : null),
    scales: ({ length, noise, pitchSemitones, pitchRange }) => [
      inference.noise_scale * noise,
      inference.length_scale * length,
      OWN_RANGE_SCALE + (pitchRange - 1),
      pitchSemitones,
    ],
    pitchRatio: () => 1,
    rowInputs: (rows) => ({ controls: rows.map(({ piece }) => idControls(piece)), styles: null }),
  };
}

/** Pitch and duration of each id for the graph; null when all are neutral. */
function idControls(piece: Piece): IdControls | null {
  const isNeutral = piece.symbols.every(
    ({ pitchSemitones = 0, durationFactor = 1 }) => pitchSemitones === 0 && durationFactor === 1,
  );
  if (isNeutral) return null;
  return {
    pitchSemitones: piece.symbolOfId.map((index) => piece.symbols[index]?.pitchSemitones ?? 0),
    durationFactors: piece.symbolOfId.map((index) => piece.symbols[index]?.durationFactor ?? 1),
  };
}

function isEnglish(language: string): boolean {
  return /^en(?:-|$)/i.test(language);
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

function readEnglish(frontEnd: EnglishFrontEnd, spoken: SpokenText, source: string): VoiceSymbol[] {
  const starred = starredRanges(source);
  const isStarred = (range: TextRange): boolean => {
    if (starred.length === 0) return false;
    const { start, end } = spoken.toSource(range);
    return starred.some((stars) => start >= stars.start && end <= stars.end);
  };
  return frontEnd.pronounce(spoken.text, isStarred);
}

/** What stands between single or double stars, as chat messages stress words. */
function starredRanges(source: string): TextRange[] {
  if (!source.includes("*")) return [];
  return [...source.matchAll(/(?<![*\w])(\*{1,2})(?=[^\s*])([^*\n]{1,80})(?<=\S)\1(?![*\w])/gu)].map(
    ({ index, 0: whole }) => ({ start: index, end: index + whole.length }),
  );
}
