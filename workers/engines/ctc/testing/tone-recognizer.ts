import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { type SmallModel, writeWordsFile } from "../../../recognition/decoding/testing/write-words-file.js";
import { MEL_BANDS } from "../../../recognition/features/log-mel.js";
import { htkScale, slaneyScale } from "#audio/spectrum/mel-filters";
import { elementType, GraphBuilder, type Value } from "../../onnx/testing/graph.js";
import type { CtcLayout } from "../layout.js";

/**
 * A recognizer of a few kilobytes with the inputs and outputs of a real one: each symbol but the blank is a tone of its
 * own. Rows of a batch are independent, as one output frame looks at one input frame.
 */
export interface ToneRecognizerOptions {
  layout: CtcLayout;
  /** Names of the tones' symbols, in the order of the tones; the blank comes by itself, where the layout has it. */
  symbols: readonly string[];
  /** Whether the graph's scores are log probabilities already. */
  normalized: boolean;
  /** Metadata beyond what the layout asks for. */
  metadata: Record<string, string>;
  /** Words over the symbols' ids, for a recognizer of speech sounds. */
  words: SmallModel | null;
}

/** The word boundary of SentencePiece and fifteen letters. */
export const letterSymbols = ["\u2581", ..."abcdefghijklmno"];

/** The tones of a text in letters `a` to `o`, each word with its boundary before it. */
export const tonesOf = (text: string): number[] =>
  text.split(" ").flatMap((word) => [0, ...[...word].map((letter) => letterSymbols.indexOf(letter))]);

export const defaultToneRecognizer: ToneRecognizerOptions = {
  layout: "zipformer_ctc",
  symbols: letterSymbols,
  normalized: true,
  metadata: {},
  words: null,
};

const SUBSAMPLING = 4;
const OPERATOR_SET = 15;
const LOWEST_HZ = 400;
const SPACING = 1.18;

const WAVE_SAMPLES = 960;
const WAVE_STEP = 384;
/** Tones of less power are none: those of `toneAudio` have 0.08 at their middle. */
const BLANK_POWER = 0.01;

const TONE_MS = 120;
const GAP_MS = 80;
const EDGE_MS = 300;

const toneHz = (tone: number): number => LOWEST_HZ * SPACING ** tone;

/** Writes `model.onnx`, `tokens.txt` and, with words, `words.bin` into a folder, which is made when missing. */
export function writeToneRecognizer(folder: string, change: Partial<ToneRecognizerOptions> = {}): void {
  const options = { ...defaultToneRecognizer, ...change };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "model.onnx"), toneRecognizerGraph(options));
  const names = options.layout === "nemo_ctc" ? [...options.symbols, "<blk>"] : ["<blk>", ...options.symbols];
  writeFileSync(join(folder, "tokens.txt"), names.map((name, id) => `${name} ${id}\n`).join(""));
  if (options.words !== null) writeFileSync(join(folder, "words.bin"), writeWordsFile(options.words));
}

/**
 * Audio of tones one after the other, by their places in the list of symbols, over faint noise that is the same each
 * time.
 */
export function toneAudio(tones: readonly number[]): Int16Array {
  const at = (ms: number): number => (ms * RECOGNITION_RATE) / 1000;
  const samples = new Int16Array(at(2 * EDGE_MS + tones.length * (TONE_MS + GAP_MS)));
  let state = 1;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[i] = (state >>> 24) - 128;
  }
  for (const [k, tone] of tones.entries()) {
    const start = at(EDGE_MS + k * (TONE_MS + GAP_MS));
    for (let i = 0; i < at(TONE_MS); i++) {
      const swell = Math.sin((Math.PI * i) / at(TONE_MS));
      samples[start + i] =
        (samples[start + i] as number) + 9000 * swell * Math.sin((2 * Math.PI * toneHz(tone) * i) / RECOGNITION_RATE);
    }
  }
  return samples;
}

/** The graph, as the bytes of an ONNX file. */
function toneRecognizerGraph(options: ToneRecognizerOptions): Uint8Array {
  return options.layout === "waveform_ctc" ? waveformGraph(options) : featuresGraph(options);
}

function featuresGraph({ layout, symbols, normalized, metadata }: ToneRecognizerOptions): Uint8Array {
  const nemo = layout === "nemo_ctc";
  const g = new GraphBuilder();
  const [features, lengths] = nemo ? ["audio_signal", "length"] : ["x", "x_lens"];
  const frames = nemo ? g.node("Transpose", [features], [{ name: "perm", ints: [0, 2, 1] }]) : features;
  const every = g.node("Slice", [
    frames,
    g.integers([0]),
    g.integers([2 ** 31]),
    g.integers([1]),
    g.integers([SUBSAMPLING]),
  ]);
  const size = symbols.length + 1;
  const blank = nemo ? symbols.length : 0;
  const weights = new Array<number>(MEL_BANDS * size).fill(0);
  for (const tone of symbols.keys()) {
    const [band, id] = [bandOf(toneHz(tone), layout), tone + (nemo ? 0 : 1)];
    weights[band * size + id] = nemo ? 8 : 3;
    // A tone stands out from the bands around it; normalized bands say so by themselves.
    for (const beside of nemo ? [] : [band - 4, band + 4]) weights[beside * size + id] = -1.5;
  }
  const bias = Array.from({ length: size }, (_, id) => (id === blank ? (nemo ? 20 : 12) : 0));
  const scores = g.node("Add", [g.node("MatMul", [every, g.floats(weights, [MEL_BANDS, size])]), g.floats(bias)]);
  const last = nemo ? "logprobs" : "log_probs";
  if (normalized) g.node("LogSoftmax", [scores], [{ name: "axis", int: -1 }], last);
  else g.node("Mul", [scores, g.floats([1.5], [])], [], last);
  const outputs: Value[] = [{ name: last, type: elementType.float32, shape: ["N", "T4", size] }];
  const longer = g.node("Add", [lengths, g.integers([SUBSAMPLING - 1], [])]);
  g.node("Div", [longer, g.integers([SUBSAMPLING], [])], [], nemo ? "logprobs_len" : "log_probs_len");
  outputs.push({ name: nemo ? "logprobs_len" : "log_probs_len", type: elementType.int64, shape: ["N"] });
  const stated: Record<string, string> = nemo
    ? {
        model_type: "EncDecCTCModelBPE",
        vocab_size: String(symbols.length),
        subsampling_factor: String(SUBSAMPLING),
        normalize_type: "per_feature",
      }
    : { model_type: "zipformer2_ctc" };
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      { name: features, type: elementType.float32, shape: nemo ? ["N", MEL_BANDS, "T"] : ["N", "T", MEL_BANDS] },
      { name: lengths, type: elementType.int64, shape: ["N"] },
    ],
    outputs,
    metadata: { ...stated, ...metadata },
  });
}

/** Samples to symbols: of every frame of 24 ms the power at each tone's frequency. */
function waveformGraph({ symbols, normalized, metadata }: ToneRecognizerOptions): Uint8Array {
  const g = new GraphBuilder();
  const waves = symbols.flatMap((_, tone) => [wave(toneHz(tone), Math.sin), wave(toneHz(tone), Math.cos)]).flat();
  const found = g.node(
    "Conv",
    [g.node("Unsqueeze", ["audio", g.integers([1])]), g.floats(waves, [2 * symbols.length, 1, WAVE_SAMPLES])],
    [{ name: "strides", ints: [WAVE_STEP] }],
  );
  const squares = g.node("Transpose", [g.node("Mul", [found, found])], [{ name: "perm", ints: [0, 2, 1] }]);
  const size = symbols.length + 1;
  const both = new Array<number>(2 * symbols.length * size).fill(0);
  for (const tone of symbols.keys()) for (const part of [0, 1]) both[(2 * tone + part) * size + tone + 1] = 1;
  const powers = g.node("MatMul", [squares, g.floats(both, [2 * symbols.length, size])]);
  const quietest = Array.from({ length: size }, (_, id) => (id === 0 ? BLANK_POWER : 1e-6));
  const scores = g.node("Mul", [g.node("Log", [g.node("Add", [powers, g.floats(quietest)])]), g.floats([3], [])]);
  if (normalized) g.node("LogSoftmax", [scores], [{ name: "axis", int: -1 }], "log_probs");
  else g.node("Mul", [scores, g.floats([1.5], [])], [], "log_probs");
  const steps = g.node("Div", [
    g.node("Sub", ["audio_lens", g.integers([WAVE_SAMPLES], [])]),
    g.integers([WAVE_STEP], []),
  ]);
  g.node("Add", [steps, g.integers([1], [])], [], "log_probs_len");
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      { name: "audio", type: elementType.float32, shape: ["N", "S"] },
      { name: "audio_lens", type: elementType.int64, shape: ["N"] },
    ],
    outputs: [
      { name: "log_probs", type: elementType.float32, shape: ["N", "T", size] },
      { name: "log_probs_len", type: elementType.int64, shape: ["N"] },
    ],
    metadata: { model_type: "waveform_ctc", ...metadata },
  });
}

/** A wave that swells and fades; with it a tone of amplitude 1 gives 1. */
function wave(hertz: number, shape: (angle: number) => number): number[] {
  return Array.from({ length: WAVE_SAMPLES }, (_, i) => {
    const swell = 1 - Math.cos((2 * Math.PI * i) / WAVE_SAMPLES);
    return (2 / WAVE_SAMPLES) * swell * shape((2 * Math.PI * hertz * i) / RECOGNITION_RATE);
  });
}

/** The mel band whose centre is nearest. */
function bandOf(hertz: number, layout: CtcLayout): number {
  const [scale, low, high] =
    layout === "nemo_ctc" ? [slaneyScale, 0, RECOGNITION_RATE / 2] : [htkScale, 20, RECOGNITION_RATE / 2 - 400];
  const step = (scale.toMel(high) - scale.toMel(low)) / (MEL_BANDS + 1);
  return Math.round((scale.toMel(hertz) - scale.toMel(low)) / step) - 1;
}
