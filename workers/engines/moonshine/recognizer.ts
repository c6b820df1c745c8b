import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createLogMel } from "../../recognition/features/log-mel.js";
import { mayHoldSpeech } from "../../recognition/voice-activity.js";
import { ModelProblem } from "../../repository/folder.js";
import { beginDecoding, checkDecoder, type Decoding, shapeOfCache } from "../encoder-decoder/decoder-graph.js";
import { type EncoderDecoder, openPart } from "../encoder-decoder/recognizer.js";
import { type ChosenToken, logProbabilityOf } from "../encoder-decoder/tokens.js";
import { wordsOfTokens } from "../encoder-decoder/words.js";
import type { Graph, GraphTensor } from "../onnx/runtime.js";
import type { MoonshineSource } from "./source.js";
import { END_TOKEN, readMoonshineVocabulary, START_TOKEN } from "./vocabulary.js";

/** What is shorter gets silence behind it: the encoder's convolutions span an eighth of a second. */
const SHORTEST_SAMPLES = RECOGNITION_RATE / 2;
/** People say no more: a text that goes on repeats itself. */
const MOST_TOKENS_PER_SECOND = 6.5;
const LEAST_TOKENS = 2;

/**
 * Opens a Moonshine model (Useful Sensors): an encoder of samples, a merged decoder with its cache, and a table of
 * tokens. It knows one language, English where model.yaml names none. Rejects with a `ModelProblem` when the files do
 * not fit together.
 */
export async function openMoonshine({ paths, providers }: MoonshineSource): Promise<EncoderDecoder> {
  const vocabulary = readMoonshineVocabulary(paths.tokens);
  const encoder = await openPart("encoder", paths.encoder, providers);
  const decoder = await openPart("decoder", paths.decoder, providers);
  if (!encoder.inputNames.includes("input_values") || encoder.inputNames.length !== 1)
    throw new ModelProblem(`the encoder's inputs are ${encoder.inputNames.join(", ")}; input_values is fed`);
  // The graph scores more tokens than the table of Moonshine's own library names: those that steer.
  const shape = { ...shapeOfCache(decoder), vocabularySize: null };
  checkDecoder(decoder, shape);
  const levels = createLogMel("kaldi");
  return {
    provider: encoder.provider,
    refused: [...encoder.refused, ...decoder.refused],
    languages: ["en"],
    async recognize(samples, named, stopped) {
      const language = named ?? "en";
      if (!mayHoldSpeech(levels(samples).levels)) return { words: [], language };
      const hidden = await encode(encoder, samples);
      if (stopped()) return null;
      const seconds = samples.length / RECOGNITION_RATE;
      const most = LEAST_TOKENS + Math.floor(seconds * MOST_TOKENS_PER_SECOND);
      const decoding = beginDecoding(decoder, hidden, shape);
      const tokens = await write(decoding, { most, vocabularySize: vocabulary.size, stopped });
      return tokens === null ? null : { words: wordsOfTokens(tokens, vocabulary, language, seconds * 1000), language };
    },
  };
}

async function encode(encoder: Graph, samples: Int16Array): Promise<GraphTensor> {
  const values = new Float32Array(Math.max(SHORTEST_SAMPLES, samples.length));
  for (let i = 0; i < samples.length; i++) values[i] = (samples[i] as number) / 32_768;
  const results = await encoder.run({ input_values: { type: "float32", data: values, dims: [1, values.length] } });
  const hidden = results[encoder.outputNames[0] ?? ""];
  if (hidden?.type !== "float32" || hidden.dims.length !== 3 || hidden.dims[0] !== 1)
    throw new ModelProblem(`the encoder gives [${hidden?.dims.join(", ") ?? ""}], not frames of float32`);
  return hidden;
}

/** Writes the likeliest token after the likeliest until the text ends; null when it is not wanted any more. */
async function write(
  decoding: Decoding,
  { most, vocabularySize, stopped }: { most: number; vocabularySize: number; stopped: () => boolean },
): Promise<ChosenToken[] | null> {
  const chosen: ChosenToken[] = [];
  for (let last = START_TOKEN; chosen.length < most; ) {
    const scores = await decoding.next([last]);
    if (stopped()) return null;
    if (scores.length < vocabularySize)
      throw new ModelProblem(`the decoder scores ${scores.length} tokens, the table names ${vocabularySize}`);
    last = likeliest(scores);
    if (last === END_TOKEN) break;
    chosen.push({ id: last, logProbability: logProbabilityOf(scores, last) });
  }
  return chosen;
}

function likeliest(scores: Float32Array): number {
  let best = 0;
  for (let id = 1; id < scores.length; id++) if ((scores[id] as number) > (scores[best] as number)) best = id;
  return best;
}
