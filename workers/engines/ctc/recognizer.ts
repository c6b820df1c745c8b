import { readFileSync } from "node:fs";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Emissions, SearchOptions } from "../../recognition/decoding/beam-search.js";
import { placeWords, type WordClock } from "../../recognition/decoding/recognized-words.js";
import { createLexiconDecoder } from "../../recognition/decoding/lexicon-words.js";
import { createSpeller, type SpelledWord } from "../../recognition/decoding/spelled-words.js";
import { readTokens, type Tokens, TokensProblem } from "../../recognition/decoding/tokens.js";
import { readWordsFile, WordsFileProblem } from "../../recognition/decoding/words-file.js";
import { createLogMel, FRAME_STEP_MS, MEL_BANDS } from "../../recognition/features/log-mel.js";
import { FRAME_STEP_SAMPLES } from "#audio/spectrum/log-mel";
import { mayHoldSpeech } from "../../recognition/voice-activity.js";
import { ModelProblem } from "../../repository/folder.js";
import { openGraph } from "../onnx/runtime.js";
import { readGraphMetadata } from "./graph-metadata.js";
import { type CtcLayout, type GraphAudio, runRecognizer, describeFeatures, describeLayout } from "./layout.js";

/** Everything that makes a recognizer. */
export interface RecognizerSource {
  graphPath: string;
  /** The same graph with convolutions of 8-bit integers, which processors run instead; null where there is none. */
  int8Path: string | null;
  tokensPath: string;
  /** Lexicon and language model, for symbols that are speech sounds; null for written ones. */
  wordsPath: string | null;
  layout: CtcLayout | undefined;
  providers: readonly string[];
  decoding: Omit<SearchOptions, "blank"> & Pick<WordClock, "startBiasMs" | "endBiasMs">;
}

/** A piece of audio, and words that are found in it more readily than others. */
export interface RecognizerPiece {
  samples: Int16Array;
  keyterms: readonly string[];
}

export interface Recognizer {
  layout: CtcLayout;
  provider: string;
  /** Providers that were preferred and did not work, with the reason. */
  refused: { provider: string; reason: string }[];
  /**
   * Words of each piece, recognized in one call of the graph; null for a piece that `stopped` says is not wanted any
   * more.
   */
  recognize(
    pieces: readonly RecognizerPiece[],
    stopped: (piece: number) => boolean,
  ): Promise<(RecognizedWord[] | null)[]>;
}

type Decoder = (emissions: Emissions, stopped: () => boolean, keyterms: readonly string[]) => SpelledWord[] | null;

/** Shorter audio holds no word, and some graphs fail at it. */
const MIN_FRAMES = 10;
/** Audio on which a graph is tried when it is opened. */
const TRIAL_FRAMES = 200;

/** Opens a recognizer and tries it once. Rejects with a `ModelProblem` when its files do not fit together. */
export async function openRecognizer(source: RecognizerSource): Promise<Recognizer> {
  const tokens = readOr(TokensProblem, "tokens", () => readTokens(readFileSync(source.tokensPath, "utf8")));
  const graph = await openGraph(source.graphPath, source.providers, source.int8Path ?? source.graphPath).catch(
    (cause: unknown) => {
      throw new ModelProblem(`the graph cannot be loaded: ${messageOf(cause)}`, { cause });
    },
  );
  const metadata = readGraphMetadata(source.graphPath);
  const layout = describeLayout(source.layout, metadata, graph);
  const extract = createLogMel(describeFeatures(layout, metadata));
  const [tried] = await runRecognizer(graph, layout, [trialAudio()]).catch((cause: unknown) => {
    if (cause instanceof ModelProblem) throw cause;
    throw new ModelProblem(`the graph does not take the inputs of ${layout}: ${messageOf(cause)}`, { cause });
  });
  const { frames, symbols } = tried as Emissions;
  if (symbols !== tokens.names.length)
    throw new ModelProblem(`the graph has ${symbols} symbols, the tokens are ${tokens.names.length}`);
  if (frames === 0) throw new ModelProblem(`the graph gives nothing for ${TRIAL_FRAMES} frames`);
  const clock = { ...source.decoding, frameMs: Math.round((TRIAL_FRAMES * FRAME_STEP_MS) / frames) };
  const decode = createDecoder(source, tokens);
  return {
    layout,
    provider: graph.provider,
    refused: graph.refused,
    async recognize(pieces, stopped) {
      const words: (RecognizedWord[] | null)[] = pieces.map(() => []);
      const recognized: (GraphAudio & { piece: number })[] = [];
      for (const [piece, { samples }] of pieces.entries()) {
        if (stopped(piece)) {
          words[piece] = null;
          continue;
        }
        const features = extract(samples);
        if (features.frames >= MIN_FRAMES && mayHoldSpeech(features.levels))
          recognized.push({ piece, samples, features });
      }
      if (recognized.length === 0) return words;
      const rows = await runRecognizer(graph, layout, recognized);
      for (const [row, { piece }] of recognized.entries()) {
        const { samples, keyterms } = pieces[piece] as RecognizerPiece;
        const found = decode(rows[row] as Emissions, () => stopped(piece), keyterms);
        const audioMs = (samples.length * 1000) / RECOGNITION_RATE;
        words[piece] = found === null ? null : placeWords(found, clock, audioMs);
      }
      return words;
    },
  };
}

/** Samples and features that differ from frame to frame: some graphs normalize them. */
function trialAudio(): GraphAudio {
  const samples = Int16Array.from({ length: TRIAL_FRAMES * FRAME_STEP_SAMPLES }, (_, i) => 1000 * Math.sin(i * i));
  const values = Float32Array.from({ length: TRIAL_FRAMES * MEL_BANDS }, (_, i) => Math.sin(i * i) - 8);
  return { samples, features: { frames: TRIAL_FRAMES, values, levels: new Float32Array(TRIAL_FRAMES) } };
}

function createDecoder({ wordsPath, decoding }: RecognizerSource, tokens: Tokens): Decoder {
  if (wordsPath === null) return createSpeller(tokens);
  return readOr(WordsFileProblem, "words", () =>
    createLexiconDecoder(readWordsFile(readFileSync(wordsPath)), tokens.names, { ...decoding, blank: tokens.blank }),
  );
}

function readOr<Value>(
  problem: typeof TokensProblem | typeof WordsFileProblem,
  role: string,
  read: () => Value,
): Value {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof problem)) throw cause;
    throw new ModelProblem(`the file of the role ${role} ${cause.message}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
