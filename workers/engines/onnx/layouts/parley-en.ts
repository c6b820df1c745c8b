import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../../repository/folder.js";
import { EnglishFrontEnd } from "../../../text/pronunciation/front-end.js";
import { prosodyFeatures } from "../../../text/pronunciation/prosody-features.js";
import type { SpokenText, TextRange } from "../../../text/spoken-text.js";
import { nearestSpeaker } from "../steering.js";
import type { Piece, VoiceSymbol } from "../symbols.js";
import type { IdControls, ProsodyInput } from "../voice-graph.js";
import type { VoiceLayout } from "./layout.js";
import { openProsody, type Prosody } from "./parley-en-prosody.js";
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
/** The graph's factor on pitch movement is this much and half of its pitch range. */
const RANGE_BASE = 0.6;
const RANGE_SLOPE = 0.5;

/**
 * Our own voices (`models/parley-en/README.md`): Piper's inputs, symbols of our own front end, noise that repeats, and
 * a graph that takes pitch, its range and controls of single ids, and where the manifest names one another that predicts
 * pitch from words and sentences. Throws `ModelProblem` when the lexicon is not there.
 */
export function openParleyLayout(model: ModelFolder, config: PiperConfig): VoiceLayout {
  const { num_speakers: speakers, default_speaker_id: usual, inference } = config;
  const frontEnd = openFrontEnd(model);
  const prosody = openProsody(model);
  const ownRange = (speakerId: number): number => prosody?.ownRange[speakerId] ?? 1;
  /** Null for speakers of whom the prosody graph knows nothing. */
  const prosodyOf = (speakerId: number): Prosody | null => (ownRange(speakerId) === 1 ? null : prosody);
  return {
    config,
    graphInputs: piperInputs(config),
    languages: [languageOf(config)],
    read: async (spoken, source, speakerId) =>
      isEnglish(spoken.language) ? readEnglish({ frontEnd, prosody: prosodyOf(speakerId) }, spoken, source) : [],
    vary: (symbols, chunk) => ({ symbols: variedSymbols(symbols, chunk), pace: 1 }),
    defaultSpeaker: (_language, traits, own) => (traits === null ? null : nearestSpeaker(traits, own)) ?? usual,
    measuredSpeaker: (speakerId) => (speakerId === usual || speakers <= MOST_MEASURED ? speakerId : null),
    scales: ({ length, noise, pitchSemitones, pitchRange }, speakerId) => [
      inference.noise_scale * noise,
      inference.length_scale * length,
      narrowed(OWN_RANGE_SCALE + (pitchRange - 1), ownRange(speakerId)),
      pitchSemitones,
    ],
    pitchRatio: () => 1,
    rowInputs: (rows) => ({
      controls: rows.map(({ piece }) => idControls(piece)),
      styles: null,
      // To be measured, all speakers say a piece that was read for one of them.
      prosody: rows.map(({ piece, speakerId }) => (prosodyOf(speakerId) === null ? null : prosodyInput(piece))),
    }),
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

/** The graph's pitch range with which its own pitch moves by `share` of what it would. */
function narrowed(range: number, share: number): number {
  return share === 1 ? range : (share * (RANGE_BASE + RANGE_SLOPE * range) - RANGE_BASE) / RANGE_SLOPE;
}

/** What the prosody graph is given for a piece; null when nothing is known of its words. */
function prosodyInput({ ids, symbols, symbolOfId }: Piece): ProsodyInput | null {
  const input: ProsodyInput = { symbols: [], columns: [], places: [] };
  for (const [place, index] of symbolOfId.entries()) {
    const row = symbols[index]?.prosody;
    if (row === undefined) continue;
    input.symbols.push(ids[place] ?? 0);
    input.columns.push(...row);
    input.places.push(place);
  }
  return input.places.length > 0 ? input : null;
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

function readEnglish(
  { frontEnd, prosody }: { frontEnd: EnglishFrontEnd; prosody: Prosody | null },
  spoken: SpokenText,
  source: string,
): VoiceSymbol[] {
  const starred = starredRanges(source);
  const isStarred = (range: TextRange): boolean => {
    if (starred.length === 0) return false;
    const { start, end } = spoken.toSource(range);
    return starred.some((stars) => start >= stars.start && end <= stars.end);
  };
  const { tokens, symbols } = frontEnd.read(spoken.text, isStarred);
  if (prosody === null) return symbols;
  const rows = prosodyFeatures(spoken.text, tokens, symbols, prosody.commonWords);
  return symbols.map((symbol, i) => ({ ...symbol, ...(rows[i] ? { prosody: rows[i] } : {}) }));
}

/** What stands between single or double stars, as chat messages stress words. */
function starredRanges(source: string): TextRange[] {
  if (!source.includes("*")) return [];
  return [...source.matchAll(/(?<![*\w])(\*{1,2})(?=[^\s*])([^*\n]{1,80})(?<=\S)\1(?![*\w])/gu)].map(
    ({ index, 0: whole }) => ({ start: index, end: index + whole.length }),
  );
}
