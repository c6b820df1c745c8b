import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { elementType, GraphBuilder, type Value } from "../../onnx/testing/graph.js";

/**
 * A Moonshine model of some kilobytes with the inputs, outputs and files of a real one, cache included: it writes the
 * token of each tone that `toneAudio` makes (`ctc/testing`) and ends where no tone follows.
 */
export interface ToneMoonshineOptions {
  /** The files of Moonshine's own library, or of Hugging Face's exporter. */
  layout: "own" | "exported";
  /** UTF-8 of the tones' tokens, in their order, U+2581 for the blank before a word. */
  pieces: readonly Uint8Array[];
  /** Whether it ever ends its text. */
  ends: boolean;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const defaultToneMoonshine: ToneMoonshineOptions = {
  layout: "own",
  pieces: ["\u2581", ..."abcdefghijklmno"].map(utf8),
  ends: true,
};

const BOOLEAN = 9;
const OPERATOR_SET = 15;
const [TONES, HEADS, HEAD_SIZE] = [16, 2, 8];
/** Samples of one encoded frame, and where tones lie in them: the middle of the first, and from one to the next. */
const FRAME_SAMPLES = 384;
const [FIRST_FRAME, FRAMES_PER_TONE] = [14.5, 200 / 24];
const LOWEST_HZ = 400;
const SPACING = 1.18;
/** What half of a frame gives at a tone's loudest. */
const LOUDEST = 53;
const steering = ["<unk>", "<s>", "</s>"];
/** Tokens that the graph scores and no table names. */
const UNNAMED = 2;

/** Writes the folder of a model. */
export function writeToneMoonshine(folder: string, change: Partial<ToneMoonshineOptions> = {}): void {
  const options = { ...defaultToneMoonshine, ...change };
  const isOwn = options.layout === "own";
  mkdirSync(isOwn ? folder : join(folder, "onnx"), { recursive: true });
  const write = (name: string, content: Uint8Array | string): void => writeFileSync(join(folder, name), content);
  write(isOwn ? "encoder_model.onnx" : "onnx/encoder_model.onnx", encoderGraph());
  write(isOwn ? "decoder_model_merged.onnx" : "onnx/decoder_model_merged.onnx", decoderGraph(options));
  if (isOwn) {
    const all = [...steering.map(utf8), ...options.pieces];
    write("tokenizer.bin", Buffer.concat(all.flatMap((piece) => [Uint8Array.of(piece.length), piece])));
    return;
  }
  write("config.json", JSON.stringify({ model_type: "moonshine" }));
  const written = options.pieces.map((piece) => Buffer.from(piece).toString());
  write(
    "tokenizer.json",
    JSON.stringify({
      model: { type: "BPE", vocab: Object.fromEntries([...steering, ...written].map((piece, id) => [piece, id])) },
      added_tokens: steering.map((content, id) => ({ id, content, special: true })),
    }),
  );
}

/** How much of each tone lies in each frame: its cosine and its sine, squared and added. */
function encoderGraph(): Uint8Array {
  const g = new GraphBuilder();
  const waves = Array.from(
    { length: TONES },
    (_, tone) => (2 * Math.PI * LOWEST_HZ * SPACING ** tone) / RECOGNITION_RATE,
  );
  const at = Array.from({ length: FRAME_SAMPLES }, (_, i) => i);
  const filters = waves.flatMap((step) => [
    ...at.map((i) => Math.cos(step * i) / LOUDEST),
    ...at.map((i) => Math.sin(step * i) / LOUDEST),
  ]);
  const found = g.node(
    "Conv",
    [g.node("Unsqueeze", ["input_values", g.integers([1])]), g.floats(filters, [2 * TONES, 1, FRAME_SAMPLES])],
    [{ name: "strides", ints: [FRAME_SAMPLES] }],
  );
  const pairs = g.node("Reshape", [g.node("Mul", [found, found]), g.integers([1, TONES, 2, -1])]);
  const power = g.node("ReduceSum", [pairs, g.integers([2])], [{ name: "keepdims", int: 0 }]);
  g.node("Transpose", [power], [{ name: "perm", ints: [0, 2, 1] }], "last_hidden_state");
  const { float32 } = elementType;
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [{ name: "input_values", type: float32, shape: ["batch_size", "num_samples"] }],
    outputs: [{ name: "last_hidden_state", type: float32, shape: ["batch_size", "frames", TONES] }],
    metadata: {},
  });
}

/**
 * Scores for the place that the cache's length tells, from the cached audio: it writes nonsense when the cache is not
 * passed on as it should be.
 */
function decoderGraph({ ends, pieces }: ToneMoonshineOptions): Uint8Array {
  const size = steering.length + pieces.length + UNNAMED;
  const { float32, int64 } = elementType;
  const g = new GraphBuilder();
  const cast = (value: string, to: number): string => g.node("Cast", [value], [{ name: "to", int: to }]);
  const concat = (values: string[], axis: number, output?: string): string =>
    g.node("Concat", values, [{ name: "axis", int: axis }], output);
  const turned = (value: string, output?: string): string =>
    g.node("Transpose", [value], [{ name: "perm", ints: [0, 2, 1, 3] }], output);

  // The text's cache: one row of ones for each token so far.
  const width = g.node("Slice", [g.node("Shape", ["input_ids"]), g.integers([1]), g.integers([2])]);
  const ones = g.node("Expand", [
    g.floats([1], [1, 1, 1, 1]),
    concat([g.integers([1, HEADS]), width, g.integers([HEAD_SIZE])], 0),
  ]);
  concat(["past_key_values.0.decoder.key", ones], 2, "present.0.decoder.key");
  concat(["past_key_values.0.decoder.value", ones], 2, "present.0.decoder.value");

  // The audio's cache: made in the first call, an empty stand-in later.
  const frames = g.node("Slice", [g.node("Shape", ["encoder_hidden_states"]), g.integers([1]), g.integers([2])]);
  const made = g.node("Mul", [g.node("Sub", [g.integers([1]), cast("use_cache_branch", int64)]), frames]);
  const kept = g.node("Slice", ["encoder_hidden_states", g.integers([0]), made, g.integers([1])]);
  const byHead = g.node("Reshape", [kept, g.integers([1, -1, HEADS, HEAD_SIZE])]);
  const own = turned(byHead, "present.0.encoder.key");
  g.node("Identity", [own], [], "present.0.encoder.value");
  const audio = turned(concat(["past_key_values.0.encoder.key", own], 2));
  const hidden = g.node("Reshape", [audio, g.integers([-1, TONES])]);

  // Place of the last token, from the sum of the cache.
  const total = g.node(
    "ReduceSum",
    ["present.0.decoder.key", g.integers([0, 1, 2, 3])],
    [{ name: "keepdims", int: 0 }],
  );
  const place = g.node("Sub", [g.node("Div", [total, g.floats([HEADS * HEAD_SIZE], [])]), g.floats([1], [])]);
  const frame = g.node("Add", [g.node("Mul", [place, g.floats([FRAMES_PER_TONE], [])]), g.floats([FIRST_FRAME], [])]);
  const last = g.node("Sub", [g.node("Squeeze", [frames, g.integers([0])]), g.integers([1], [])]);
  const heard = g.node("Gather", [hidden, g.node("Min", [cast(frame, int64), last])]);

  const letters = g.node("Mul", [g.node("Unsqueeze", [heard, g.integers([0])]), g.floats([10])]);
  const named = g.node("Slice", [letters, g.integers([0]), g.integers([pieces.length]), g.integers([1])]);
  const scores = concat(
    [g.floats([-5, -5, ends ? 3 : -50], [1, steering.length]), named, g.floats([-5, -5], [1, UNNAMED])],
    1,
  );
  g.node(
    "Expand",
    [g.node("Unsqueeze", [scores, g.integers([0])]), concat([g.integers([1]), width, g.integers([size])], 0)],
    [],
    "logits",
  );
  const cache = (prefix: string, time: string): Value[] =>
    ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map((part) => ({
      name: `${prefix}.0.${part}`,
      type: float32,
      shape: ["batch_size", HEADS, `${time}_${part.split(".")[0]}`, HEAD_SIZE],
    }));
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      { name: "input_ids", type: int64, shape: ["batch_size", "decoder_sequence_length"] },
      { name: "encoder_hidden_states", type: float32, shape: ["batch_size", "encoder_sequence_length", TONES] },
      ...cache("past_key_values", "past"),
      { name: "use_cache_branch", type: BOOLEAN, shape: [1] },
    ],
    outputs: [
      { name: "logits", type: float32, shape: ["batch_size", "decoder_sequence_length", size] },
      ...cache("present", "present"),
    ],
    metadata: {},
  });
}
