import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_PROMPT_SECONDS, PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { speechLike } from "#audio/testing/speech-like";
import { wavFile } from "#audio/testing/wav-file";
import { elementType, GraphBuilder, type Value } from "../../onnx/testing/graph.js";

/**
 * Pocket TTS of some kilobytes in the layout of sherpa-onnx's release: the five graphs with the inputs, outputs, types
 * and states of the real ones (one small layer instead of six), vocabulary and recordings. Each letter is a tone of
 * 80 ms, blanks and punctuation are silence; how often the recording crosses zero raises all tones. It falls silent
 * when a state is not passed on, when it does not begin with NaN, or when it is not given back what it made.
 */
export interface TonePocketOptions {
  /** Recordings in `test_wavs/` by name: median pitch, Hz. */
  speakers: Readonly<Record<string, number>>;
  /** Whether it ends its texts. */
  ends: boolean;
  /** Whether its tones sound. */
  sounds: boolean;
}

export const defaultTonePocket: TonePocketOptions = { speakers: { bria: 110, loona: 190 }, ends: true, sounds: true };

const BOOLEAN = 9;
const OPERATOR_SET = 15;
const [EMBEDDING, LATENT, FRAME] = [1024, 32, 1920];
const [POSITIONS, HEADS, ROW] = [1000, 1, 16];
/** Columns of a row: what a position of the cache says. */
const column = { tone: 0, isText: 1, crossings: 2, isVoice: 3, isMade: 4, fed: 5, isLoud: 6 } as const;
/** Stands for the NaN that a text begins with. */
const BEGIN = -7;

const letters = "abcdefghijklmnopqrstuvwxyz";
const silent = ".,!?'’-–—;:…\"()&<>/\u2581";
const { float32, int64 } = elementType;

/** Writes the folder of a model. */
export function writeTonePocket(folder: string, change: Partial<TonePocketOptions> = {}): void {
  const options = { ...defaultTonePocket, ...change };
  mkdirSync(join(folder, "test_wavs"), { recursive: true });
  const { pieces, tones } = vocabulary();
  const json = (name: string, value: unknown): void => writeFileSync(join(folder, name), `${JSON.stringify(value)}\n`);
  json("vocab.json", Object.fromEntries(pieces.map((piece, id) => [piece, id])));
  json("token_scores.json", Object.fromEntries(pieces.map((piece) => [piece, piece.startsWith("<") ? 0 : -4])));
  const graph = (name: string, bytes: Uint8Array): void => writeFileSync(join(folder, name), bytes);
  graph("encoder.onnx", encoderGraph());
  graph("text_conditioner.onnx", conditionerGraph(tones));
  graph("lm_main.int8.onnx", mainGraph(options));
  graph("lm_flow.int8.onnx", flowGraph());
  graph("decoder.int8.onnx", decoderGraph());
  for (const [name, pitchHz] of Object.entries(options.speakers))
    writeFileSync(join(folder, "test_wavs", `${name}.wav`), recording(pitchHz));
}

/** Each takes most of a second to make. */
const recordings = new Map<string, Buffer>();

/** A recording of a made-up voice, a little longer than what is taken of one. */
export function recording(pitchHz: number, sampleRate: number = PROMPT_RATE): Buffer {
  const key = `${pitchHz} ${sampleRate}`;
  const made = recordings.get(key) ?? makeRecording(pitchHz, sampleRate);
  recordings.set(key, made);
  return made;
}

function makeRecording(pitchHz: number, sampleRate: number): Buffer {
  const seconds = MAX_PROMPT_SECONDS + 1;
  const voice = { pitchHz, swingSemitones: 2, syllablesPerSecond: 4, seconds, sampleRate };
  const samples = speechLike(voice);
  return wavFile({ sampleRate, channels: 1, bits: 16 }, samples.length, (frame) => (samples[frame] ?? 0) / 32_768);
}

/** Pieces by id as SentencePiece writes them, and what each sounds like: hundreds of Hz, 0 for silence. */
function vocabulary(): { pieces: string[]; tones: number[] } {
  const toneOf = (letter: number): number => 1.1 + 0.016 * letter;
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const tones = new Map<string, number>();
  for (const piece of ["<unk>", "<s>", "</s>", "<pad>"]) tones.set(piece, 0);
  for (const piece of bytes) tones.set(piece, toneOf(30));
  for (const piece of silent) tones.set(piece, 0);
  [...letters].forEach((letter, i) => tones.set(letter, toneOf(i)).set(letter.toUpperCase(), toneOf(i)));
  [..."0123456789"].forEach((digit, i) => tones.set(digit, toneOf(20 + i)));
  return { pieces: [...tones.keys()], tones: [...tones.values()] };
}

/** The names and shapes that the exporter gives. */
const tensor = (name: string, shape: Value["shape"], type: number = float32): Value => ({ name, type, shape });

/** Counts, in each 80 ms that are not silent, how often the audio crosses zero. */
function encoderGraph(): Uint8Array {
  const g = new GraphBuilder();
  const length = g.node("Slice", [g.node("Shape", ["audio"]), g.integers([2]), g.integers([3])]);
  const used = g.node("Mul", [g.node("Div", [length, g.integers([FRAME])]), g.integers([FRAME])]);
  const whole = g.node("Slice", ["audio", g.integers([0]), used, g.integers([2])]);
  const frames = g.node("Reshape", [whole, g.integers([1, -1, FRAME])]);
  const signs = g.node("Sign", [frames]);
  const part = (from: number, to: number): string =>
    g.node("Slice", [signs, g.integers([from]), g.integers([to]), g.integers([2])]);
  const changes = g.node("Abs", [g.node("Sub", [part(1, FRAME), part(0, FRAME - 1)])]);
  const counted = g.node("ReduceSum", [changes, g.integers([2])], [{ name: "keepdims", int: 1 }]);
  const level = g.node(
    "ReduceMean",
    [g.node("Abs", [frames])],
    [
      { name: "axes", ints: [2] },
      { name: "keepdims", int: 1 },
    ],
  );
  const isLoud = g.node("Cast", [g.node("Greater", [level, g.floats([0.01])])], [{ name: "to", int: float32 }]);
  const crossings = g.node("Mul", [g.node("Mul", [counted, isLoud]), g.floats([0.5])]);
  const one = g.node("Add", [g.node("Mul", [isLoud, g.floats([0])]), g.floats([1])]);
  const zero = g.node("Mul", [isLoud, g.floats([0])]);
  const row = [zero, zero, crossings, one, zero, zero, isLoud];
  g.node("Pad", [g.node("Concat", row, [{ name: "axis", int: 2 }]), behind(g, EMBEDDING - row.length)], [], "latents");
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [tensor("audio", [1, 1, "audio_len"])],
    outputs: [tensor("latents", [1, "frames", EMBEDDING])],
    metadata: {},
  });
}

/** Zeros behind the last of three dimensions. */
function behind(g: GraphBuilder, count: number): string {
  return g.integers([0, 0, 0, 0, 0, count]);
}

function conditionerGraph(tones: readonly number[]): Uint8Array {
  const g = new GraphBuilder();
  const table = g.floats(
    tones.flatMap((tone) => [tone, 1]),
    [tones.length, 2],
  );
  g.node("Pad", [g.node("Gather", [table, "token_ids"]), behind(g, EMBEDDING - 2)], [], "embeddings");
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [tensor("token_ids", [1, "seq_len"], int64)],
    outputs: [tensor("embeddings", [1, "seq_len", EMBEDDING])],
    metadata: {},
  });
}

/** Keeps a row of each position in its cache and reads the text's next tone from there. */
function mainGraph({ ends, sounds }: TonePocketOptions): Uint8Array {
  const g = new GraphBuilder();
  const cast = (value: string, to: number): string => g.node("Cast", [value], [{ name: "to", int: to }]);
  const concat = (values: string[], axis: number, output?: string): string =>
    g.node("Concat", values, [{ name: "axis", int: axis }], output);
  const slice = (value: string, from: string, to: string, axis: number): string =>
    g.node("Slice", [value, from, to, g.integers([axis])]);

  const heard = slice("text_embeddings", g.integers([0]), g.integers([ROW]), 2);
  const given = slice("sequence", g.integers([0]), g.integers([1]), 2);
  const fed = g.node("Where", [g.node("IsNaN", [given]), g.floats([BEGIN]), given]);
  const padded = g.node("Pad", [fed, g.integers([0, 0, column.fed, 0, 0, ROW - column.fed - 1])]);
  const isMade = Array.from({ length: ROW }, (_, i) => (i === column.isMade ? 1 : 0));
  const rows = concat([heard, g.node("Add", [padded, g.floats(isMade)])], 1);
  const count = slice(g.node("Shape", [rows]), g.integers([1]), g.integers([2]), 0);
  const end = g.node("Add", ["state_2", count], [], "out_state_2");
  const entry = g.node("Reshape", [rows, g.integers([1, 1, -1, HEADS, ROW])]);
  const before = slice("state_0", g.integers([0]), "state_2", 2);
  const after = slice("state_0", end, g.integers([POSITIONS]), 2);
  concat([before, concat([entry, entry], 0), after], 2, "out_state_0");
  g.node("Identity", ["state_1"], [], "out_state_1");

  const keys = slice("out_state_0", g.integers([0]), g.integers([1]), 0);
  const cache = g.node("Reshape", [keys, g.integers([POSITIONS, ROW])]);
  const sums = g.node("ReduceSum", [cache, g.integers([0])], [{ name: "keepdims", int: 0 }]);
  const sum = (name: keyof typeof column): string => g.node("Gather", [sums, g.integers([column[name]])]);
  const at = (position: string, name: keyof typeof column): string => {
    const safe = g.node("Min", [g.node("Max", [position, g.floats([0])]), g.floats([POSITIONS - 1])]);
    return g.node(
      "Gather",
      [g.node("Gather", [cache, cast(safe, int64)]), g.integers([column[name]])],
      [{ name: "axis", int: 1 }],
    );
  };
  const flat = (value: string): string => g.node("Reshape", [value, g.integers([1])]);
  const [texts, voices, made] = [sum("isText"), sum("isVoice"), sum("isMade")];
  const first = g.node("Add", [voices, texts]);
  const last = g.node("Sub", [g.node("Add", [first, made]), g.floats([1])]);
  const begins = g.node("Equal", [flat(at(first, "fed")), g.floats([BEGIN])]);
  const isFirst = g.node("Equal", [made, g.floats([1])]);
  const goesOn = g.node("Or", [isFirst, g.node("Greater", [flat(at(last, "fed")), g.floats([BEGIN])])]);
  const isInside = g.node("LessOrEqual", [made, texts]);
  const isRight = cast(g.node("And", [g.node("And", [begins, goesOn]), isInside]), float32);
  const next = g.node("Sub", [g.node("Add", [voices, made]), g.floats([1])]);
  const tone = g.node("Mul", [g.node("Mul", [flat(at(next, "tone")), isRight]), g.floats([sounds ? 1 : 0])]);
  const voice = g.node("Div", [sum("crossings"), g.node("Max", [sum("isLoud"), g.floats([1])])]);
  const both = g.node("Reshape", [concat([tone, voice], 0), g.integers([1, 2])]);
  g.node("Pad", [both, g.integers([0, 0, 0, EMBEDDING - 2])], [], "conditioning");
  const isOver = g.node("Sub", [g.floats([1]), cast(isInside, float32)]);
  const logit = g.node("Sub", [g.node("Mul", [isOver, g.floats([ends ? 20 : 0])]), g.floats([10])]);
  g.node("Reshape", [logit, g.integers([1, 1])], [], "eos_logit");

  const states = (prefix: string): Value[] => [
    tensor(`${prefix}state_0`, [2, 1, POSITIONS, HEADS, ROW]),
    tensor(`${prefix}state_1`, [0]),
    tensor(`${prefix}state_2`, [1], int64),
  ];
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      tensor("sequence", [1, "seq_len", LATENT]),
      tensor("text_embeddings", [1, "text_len", EMBEDDING]),
      ...states(""),
    ],
    outputs: [tensor("conditioning", [1, EMBEDDING]), tensor("eos_logit", [1, 1]), ...states("out_")],
    metadata: {},
  });
}

/** Leads from noise to tone and voice; a little of the noise stays. */
function flowGraph(): Uint8Array {
  const g = new GraphBuilder();
  const wanted = g.node("Slice", ["c", g.integers([0]), g.integers([2]), g.integers([1])]);
  const target = g.node("Pad", [wanted, g.integers([0, 0, 0, LATENT - 2])]);
  const direction = g.node("Sub", [target, g.node("Mul", ["x", g.floats([0.98])])]);
  g.node("Mul", [direction, g.node("Sub", ["t", "s"])], [], "flow_dir");
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      tensor("c", ["batch", EMBEDDING]),
      tensor("s", ["batch", 1]),
      tensor("t", ["batch", 1]),
      tensor("x", ["batch", LATENT]),
    ],
    outputs: [tensor("flow_dir", ["batch", LATENT])],
    metadata: {},
  });
}

/** Tones whose phase goes on from call to call. */
function decoderGraph(): Uint8Array {
  const g = new GraphBuilder();
  const value = (index: number): string => {
    const one = g.node("Slice", ["latent", g.integers([index]), g.integers([index + 1]), g.integers([2])]);
    return g.node("Reshape", [one, g.integers([-1, 1])]);
  };
  const tone = value(0);
  const higher = g.node("Add", [g.node("Mul", [value(1), g.floats([1 / 40])]), g.floats([0.5])]);
  const isLoud = g.node("Cast", [g.node("Greater", [tone, g.floats([0.5])])], [{ name: "to", int: float32 }]);
  const ones = g.floats(new Array<number>(FRAME).fill(1), [1, FRAME]);
  const spread = (perFrame: string): string => g.node("Reshape", [g.node("Mul", [perFrame, ones]), g.integers([-1])]);
  const steps = g.node("Mul", [spread(g.node("Mul", [tone, higher])), g.floats([100 / PROMPT_RATE])]);
  const phase = g.node("Add", [
    g.node("CumSum", [steps, g.integers([0], [])]),
    g.node("Reshape", ["state_1", g.integers([1])]),
  ]);
  const audio = g.node("Mul", [
    g.node("Sin", [g.node("Mul", [phase, g.floats([2 * Math.PI])])]),
    g.node("Mul", [spread(isLoud), g.floats([0.4])]),
  ]);
  g.node("Reshape", [audio, g.integers([1, 1, -1])], [], "audio_frame");
  const end = g.node("Slice", [phase, g.integers([-1]), g.integers([2 ** 31]), g.integers([0])]);
  g.node("Reshape", [g.node("Sub", [end, g.node("Floor", [end])]), g.integers([1, 1, 1])], [], "out_state_1");
  g.node("Identity", ["state_0"], [], "out_state_0");
  const frames = g.node("Slice", [g.node("Shape", ["latent"]), g.integers([1]), g.integers([2])]);
  g.node("Add", ["state_2", g.node("Mul", [frames, g.integers([16])])], [], "out_state_2");
  const states = (prefix: string): Value[] => [
    tensor(`${prefix}state_0`, [1], BOOLEAN),
    tensor(`${prefix}state_1`, [1, 1, 1]),
    tensor(`${prefix}state_2`, [1], int64),
  ];
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [tensor("latent", [1, "seq_len", LATENT]), ...states("")],
    outputs: [tensor("audio_frame", [1, 1, "samples"]), ...states("out_")],
    metadata: {},
  });
}
