import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createLogMel } from "../../recognition/features/log-mel.js";
import { mayHoldSpeech } from "../../recognition/voice-activity.js";
import { ModelProblem } from "../../repository/folder.js";
import { beginDecoding, checkDecoder, type Decoding } from "../encoder-decoder/decoder-graph.js";
import { type EncoderDecoder, openPart } from "../encoder-decoder/recognizer.js";
import { type ChosenToken, logProbabilityOf } from "../encoder-decoder/tokens.js";
import { wordsOfTokens } from "../encoder-decoder/words.js";
import type { Graph, GraphTensor } from "../onnx/runtime.js";
import { createWhisperFeatures, WHISPER_FRAMES } from "./features.js";
import { readWhisperSettings, type WhisperSettings } from "./settings.js";
import type { WhisperSource } from "./source.js";
import { chooseToken } from "./token-choice.js";
import { readVocabulary, type Vocabulary } from "./vocabulary.js";

/**
 * A piece is taken for silence when the model says so this surely and is unsure of its text (natural logarithm per
 * token).
 */
const SILENCE_PROBABILITY = 0.6;
const UNSURE_BELOW = -1;

/** Opens a model's graphs and files. Rejects with a `ModelProblem` when they do not fit together. */
export async function openWhisper({ paths, providers }: WhisperSource): Promise<EncoderDecoder> {
  const settings = readWhisperSettings(paths);
  const vocabulary = readVocabulary(paths.tokens);
  checkVocabulary(vocabulary, settings);
  const encoder = await openPart("encoder", paths.encoder, providers);
  const decoder = await openPart("decoder", paths.decoder, providers);
  if (!encoder.inputNames.includes("input_features") || encoder.inputNames.length !== 1) {
    throw new ModelProblem(`the encoder's inputs are ${encoder.inputNames.join(", ")}; input_features is fed`);
  }
  checkDecoder(decoder, settings);
  const extract = createWhisperFeatures(settings.melBands);
  const levels = createLogMel("kaldi");
  const codes = [...vocabulary.languages.keys()];
  const languages = settings.multilingual && codes.length > 0 ? codes : ["en"];
  return {
    provider: encoder.provider,
    refused: [...encoder.refused, ...decoder.refused],
    languages,
    async recognize(samples, named, stopped) {
      const silent = { words: [], language: named ?? (languages.length === 1 ? (languages[0] ?? "und") : "und") };
      if (!mayHoldSpeech(levels(samples).levels)) return silent;
      const hidden = await encode(encoder, extract(samples), settings);
      if (stopped()) return null;
      const begin = (): Decoding => beginDecoding(decoder, hidden, settings);
      const language = named ?? (settings.multilingual ? await reportLanguage(begin(), vocabulary) : "en");
      const tokens = await write(begin(), promptFor(language, vocabulary, settings), { vocabulary, settings, stopped });
      if (tokens === null) return null;
      return {
        words: wordsOfTokens(tokens, vocabulary, language, (samples.length * 1000) / RECOGNITION_RATE),
        language,
      };
    },
  };
}

function checkVocabulary(
  { firstTimestamp, transcribe }: Vocabulary,
  { vocabularySize, multilingual }: WhisperSettings,
): void {
  if (firstTimestamp >= vocabularySize)
    throw new ModelProblem(
      `config.json has ${vocabularySize} tokens, tokenizer.json's timestamps begin at ${firstTimestamp}`,
    );
  if (multilingual && transcribe === null) throw new ModelProblem("tokenizer.json lacks <|transcribe|>");
}

async function encode(
  encoder: Graph,
  features: Float32Array,
  { melBands, encoderFrames }: WhisperSettings,
): Promise<GraphTensor> {
  const results = await encoder.run({
    input_features: { type: "float32", data: features, dims: [1, melBands, WHISPER_FRAMES] },
  });
  const hidden = results[encoder.outputNames[0] ?? ""];
  if (hidden?.type !== "float32" || hidden.dims.length !== 3 || hidden.dims[1] !== encoderFrames) {
    throw new ModelProblem(
      `the encoder gives [${hidden?.dims.join(", ") ?? ""}], not ${encoderFrames} frames of float32`,
    );
  }
  return hidden;
}

/** The language whose token is likeliest right after the start. */
async function reportLanguage(decoding: Decoding, { languages, startOfTranscript }: Vocabulary): Promise<string> {
  const scores = await decoding.next([startOfTranscript]);
  let best = "en";
  let highest = Number.NEGATIVE_INFINITY;
  for (const [code, id] of languages) {
    const score = scores[id] ?? Number.NEGATIVE_INFINITY;
    if (score > highest) [best, highest] = [code, score];
  }
  return best;
}

function promptFor(language: string, vocabulary: Vocabulary, { multilingual }: WhisperSettings): number[] {
  const languageToken = vocabulary.languages.get(language);
  if (!multilingual || vocabulary.transcribe === null || languageToken === undefined)
    return [vocabulary.startOfTranscript];
  return [vocabulary.startOfTranscript, languageToken, vocabulary.transcribe];
}

interface WriteOptions {
  vocabulary: Vocabulary;
  settings: WhisperSettings;
  stopped: () => boolean;
}

/**
 * Writes the likeliest token after the likeliest, until the text ends; none for silence, null when it is not wanted any
 * more.
 */
async function write(
  decoding: Decoding,
  prompt: readonly number[],
  { vocabulary, settings, stopped }: WriteOptions,
): Promise<ChosenToken[] | null> {
  const rules = { ...vocabulary, ...settings };
  const chosen: ChosenToken[] = [];
  const text: number[] = [];
  let silence = 0;
  let given: readonly number[] = prompt;
  // Half of the positions are for what was said before, which is never given here.
  const limit = Math.min(settings.maxTokens >> 1, settings.maxTokens - prompt.length);
  while (chosen.length < limit) {
    const scores = await decoding.next(given);
    if (stopped()) return null;
    if (chosen.length === 0 && vocabulary.noSpeech !== null)
      silence = Math.exp(logProbabilityOf(scores, vocabulary.noSpeech));
    const next = chooseToken(scores, text, rules);
    if (next.id === vocabulary.endOfText) break;
    chosen.push(next);
    text.push(next.id);
    given = [next.id];
  }
  const sureness = chosen.reduce((sum, { logProbability }) => sum + logProbability, 0) / Math.max(1, chosen.length);
  return silence > SILENCE_PROBABILITY && sureness < UNSURE_BELOW ? [] : chosen;
}
