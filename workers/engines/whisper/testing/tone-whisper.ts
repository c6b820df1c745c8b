import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { slaneyScale } from "#audio/spectrum/mel-filters";
import { CachedDecoder } from "../../encoder-decoder/testing/cached-decoder.js";
import { elementType, GraphBuilder } from "../../onnx/testing/graph.js";
import { bytesByCharacter } from "../vocabulary.js";

/**
 * A Whisper model of some kilobytes with the inputs, outputs and files of a real one, cache included: it writes the
 * tokens of the tones that `toneAudio` makes (`ctc/testing`), one for each of its 200 ms, between a timestamp and
 * another.
 */
export interface ToneWhisperOptions {
  /** Text of the tones, in their order. */
  texts: readonly string[];
  multilingual: boolean;
  /** Which language the model takes all audio for. */
  language: "en" | "fr";
  /** Whether there is a `generation_config.json`. */
  generation: boolean;
}

export const defaultToneWhisper: ToneWhisperOptions = {
  texts: [" ", ..."abcdefghijklmno"],
  multilingual: true,
  language: "en",
  generation: true,
};

const OPERATOR_SET = 15;
const [BANDS, FRAMES, ENCODED, HEADS] = [80, 3000, 1500, 2];
const HEAD_SIZE = BANDS / HEADS;
const TIMESTAMPS = 1501;
/** Encoder frames of 20 ms: the middle of the first tone, and from one tone to the next. */
const [FIRST_FRAME, FRAMES_PER_TONE] = [18, 10];
const LOWEST_HZ = 400;
const SPACING = 1.18;

const special = [
  "<|endoftext|>",
  "<|startoftranscript|>",
  "<|en|>",
  "<|fr|>",
  "<|translate|>",
  "<|transcribe|>",
  "<|nospeech|>",
  "<|notimestamps|>",
];

/** Writes the folder of a model, in the layout that Hugging Face's exporter writes. */
export function writeToneWhisper(folder: string, change: Partial<ToneWhisperOptions> = {}): void {
  const options = { ...defaultToneWhisper, ...change };
  mkdirSync(join(folder, "onnx"), { recursive: true });
  const json = (name: string, value: unknown): void => writeFileSync(join(folder, name), `${JSON.stringify(value)}\n`);
  const { vocabulary, size, idOf } = tokensOf(options);
  json("config.json", {
    ...{
      model_type: "whisper",
      d_model: BANDS,
      decoder_layers: 1,
      decoder_attention_heads: HEADS,
      num_mel_bins: BANDS,
    },
    ...{
      vocab_size: size,
      max_source_positions: ENCODED,
      max_target_positions: 448,
      architectures: ["WhisperForConditionalGeneration"],
    },
  });
  if (options.generation) {
    json("generation_config.json", {
      is_multilingual: options.multilingual,
      suppress_tokens: [],
      begin_suppress_tokens: [0, idOf("<|endoftext|>")],
    });
  }
  json("preprocessor_config.json", {
    feature_size: BANDS,
    sampling_rate: RECOGNITION_RATE,
    hop_length: 160,
    n_fft: 400,
    chunk_length: 30,
  });
  json("tokenizer.json", {
    model: { type: "BPE", vocab: vocabulary, merges: [] },
    added_tokens: special.map((content) => ({ id: idOf(content), content, special: true })),
  });
  writeFileSync(join(folder, "onnx/encoder_model.onnx"), encoderGraph());
  writeFileSync(join(folder, "onnx/decoder_model_merged.onnx"), decoderGraph(options));
}

function tokensOf({ texts }: ToneWhisperOptions): {
  vocabulary: Record<string, number>;
  size: number;
  idOf: (token: string) => number;
} {
  const characters = new Map([...bytesByCharacter()].map(([character, byte]) => [byte, character]));
  const written = texts.map((text) => [...Buffer.from(text)].map((byte) => characters.get(byte) ?? "").join(""));
  const first = texts.length;
  return {
    vocabulary: Object.fromEntries(written.map((token, id) => [token, id])),
    size: first + special.length + TIMESTAMPS,
    idOf: (token) => first + special.indexOf(token),
  };
}

/** One encoded frame is every other frame of the features. */
function encoderGraph(): Uint8Array {
  const g = new GraphBuilder();
  const frames = g.node("Transpose", ["input_features"], [{ name: "perm", ints: [0, 2, 1] }]);
  g.node(
    "Slice",
    [frames, g.integers([0]), g.integers([FRAMES]), g.integers([1]), g.integers([2])],
    [],
    "last_hidden_state",
  );
  const { float32 } = elementType;
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [{ name: "input_features", type: float32, shape: ["batch_size", BANDS, FRAMES] }],
    outputs: [{ name: "last_hidden_state", type: float32, shape: ["batch_size", ENCODED, BANDS] }],
    metadata: {},
  });
}

/** Scores for the place that the cache's length tells, from the cached audio. */
function decoderGraph(options: ToneWhisperOptions): Uint8Array {
  const { texts, multilingual, language } = options;
  const { size } = tokensOf(options);
  const g = new GraphBuilder();
  const decoder = new CachedDecoder(g, { heads: HEADS, headSize: HEAD_SIZE });
  // Tones begin after the prompt.
  const prompt = multilingual ? 3 : 1;
  const place = g.node("Sub", [decoder.tokens(), g.floats([prompt + 1], [])]);
  const hidden = decoder.audio(g.integers([ENCODED]));
  const frame = g.node("Max", [
    g.node("Add", [g.node("Mul", [place, g.floats([FRAMES_PER_TONE], [])]), g.floats([FIRST_FRAME], [])]),
    g.floats([0], []),
  ]);
  const last = g.integers([ENCODED - 1], []);
  const recognized = g.node("Gather", [hidden, g.node("Min", [decoder.cast(frame, elementType.int64), last])]);

  // A tone stands out from the bands around it.
  const weights = new Array<number>(BANDS * texts.length).fill(0);
  for (const tone of texts.keys()) {
    const band = bandOf(LOWEST_HZ * SPACING ** tone);
    weights[band * texts.length + tone] = 100;
    for (const beside of [band - 3, band + 3]) weights[beside * texts.length + tone] = -50;
  }
  const letters = g.node("Sub", [
    g.node("MatMul", [g.node("Unsqueeze", [recognized, g.integers([0])]), g.floats(weights, [BANDS, texts.length])]),
    g.floats([25]),
  ]);
  const steering = special.map((token) =>
    token === `<|${language}|>` ? 30 : token === "<|endoftext|>" ? 5 : token === "<|nospeech|>" ? -50 : 0,
  );
  const steps = g.floats(Array.from({ length: TIMESTAMPS }, (_, i) => i));
  const away = g.node("Abs", [g.node("Sub", [steps, frame])]);
  const times = g.node("Sub", [g.floats([6]), g.node("Mul", [away, g.floats([0.05])])]);
  const scores = decoder.concat(
    [letters, g.floats(steering, [1, special.length]), g.node("Unsqueeze", [times, g.integers([0])])],
    1,
  );
  return decoder.model(scores, size, OPERATOR_SET);
}

/** The mel band whose centre is nearest. */
function bandOf(hertz: number): number {
  const step = slaneyScale.toMel(RECOGNITION_RATE / 2) / (BANDS + 1);
  return Math.round(slaneyScale.toMel(hertz) / step) - 1;
}
