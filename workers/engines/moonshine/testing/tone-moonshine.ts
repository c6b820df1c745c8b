import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { CachedDecoder } from "../../encoder-decoder/testing/cached-decoder.js";
import { elementType, GraphBuilder } from "../../onnx/testing/graph.js";

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

/** Scores for the place that the cache's length tells, from the cached audio. */
function decoderGraph({ ends, pieces }: ToneMoonshineOptions): Uint8Array {
  const size = steering.length + pieces.length + UNNAMED;
  const g = new GraphBuilder();
  const decoder = new CachedDecoder(g, { heads: HEADS, headSize: HEAD_SIZE });
  const place = g.node("Sub", [decoder.tokens(), g.floats([1], [])]);
  const frames = g.node("Slice", [g.node("Shape", ["encoder_hidden_states"]), g.integers([1]), g.integers([2])]);
  const hidden = decoder.audio(frames);
  const frame = g.node("Add", [g.node("Mul", [place, g.floats([FRAMES_PER_TONE], [])]), g.floats([FIRST_FRAME], [])]);
  const last = g.node("Sub", [g.node("Squeeze", [frames, g.integers([0])]), g.integers([1], [])]);
  const recognized = g.node("Gather", [hidden, g.node("Min", [decoder.cast(frame, elementType.int64), last])]);
  const letters = g.node("Mul", [g.node("Unsqueeze", [recognized, g.integers([0])]), g.floats([10])]);
  const named = g.node("Slice", [letters, g.integers([0]), g.integers([pieces.length]), g.integers([1])]);
  const scores = decoder.concat(
    [g.floats([-5, -5, ends ? 3 : -50], [1, steering.length]), named, g.floats([-5, -5], [1, UNNAMED])],
    1,
  );
  return decoder.model(scores, size, OPERATOR_SET);
}
