import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeZip } from "#common/testing/make-zip";
import { kokoroVocabulary } from "../layouts/kokoro-vocabulary.js";
import { elementType, GraphBuilder } from "./graph.js";

/**
 * A voice of a few kilobytes in the layout of Kokoro-82M, with its inputs and outputs: each letter is a tone of its
 * own, blanks and punctuation are silence. Durations follow `speed`, pitch follows the first value of `style`.
 */
export const toneKokoro = { sampleRate: 24_000, styles: 510, styleValues: 256 } as const;

const HOP_SAMPLES = 128;
const LETTER_FRAMES = 13;
const PAUSE_FRAMES = 7;
const OPERATOR_SET = 15;

const silent = ';:,.!?—…"()“” ';
const sounding = "AIOQWYTabcdefhijklmnpqstuvwxyzæçðŋɐɑɔəɚɛɜɡɪɹɾʃʊʌʒʔθᵊᵻʤʧʦʣ";
const unsounded = "ˈˌːʲ";
const symbols = ["$", ...silent, ...sounding, ...unsounded];
/** Stands where no symbol has the id. */
const NO_SYMBOL = "\u0000";
/** By name how much higher than the first each is. */
const tones: Readonly<Record<string, number>> = { af_heart: 0, bf_tone: 0.25, ff_tone: 0.5, zf_tone: 1 };

/** Writes the folder of a voice as Hugging Face's export has it. */
export function writeToneKokoro(folder: string): void {
  for (const name of ["onnx", "voices"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "config.json"), '{"model_type": "style_text_to_speech_2"}\n');
  writeFileSync(
    join(folder, "tokenizer.json"),
    `${JSON.stringify({ model: { vocab: Object.fromEntries(symbols.map((symbol, id) => [symbol, id])) } })}\n`,
  );
  writeFileSync(join(folder, "onnx/model.onnx"), kokoroGraph("input_ids", symbols));
  for (const name of Object.keys(tones))
    writeFileSync(join(folder, "voices", `${name}.bin`), new Uint8Array(stylesOf(name).buffer));
}

/** Writes the folder of the same voice as kokoro-onnx releases it, in two files; `arrays` is what its archive holds. */
export function writeReleasedToneKokoro(
  folder: string,
  arrays: readonly { name: string; content: Uint8Array }[] = releasedStyles(),
): void {
  mkdirSync(folder, { recursive: true });
  const inOrder = Object.entries(kokoroVocabulary).toSorted(([, one], [, other]) => one - other);
  const known = Array.from({ length: (inOrder.at(-1)?.[1] ?? 0) + 1 }, () => NO_SYMBOL);
  for (const [symbol, id] of inOrder) known[id] = symbol;
  writeFileSync(join(folder, "kokoro-v1.0.onnx"), kokoroGraph("tokens", known));
  writeFileSync(join(folder, "voices-v1.0.bin"), makeZip(arrays));
}

/** The speakers' styles as NumPy's `savez` packs them. */
export const releasedStyles = (): { name: string; content: Uint8Array }[] =>
  Object.keys(tones).map((name) => ({ name: `${name}.npy`, content: npy(stylesOf(name)) }));

/** An array in NumPy's format, version 1, of the shape of a speaker's styles; `type` is what its header says. */
export function npy(values: Float32Array, type = "<f4"): Uint8Array {
  const rows = values.length / toneKokoro.styleValues;
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${rows}, 1, ${toneKokoro.styleValues}), }`;
  const padded = `${header.padEnd(117)}\n`;
  const size = Buffer.alloc(2);
  size.writeUInt16LE(padded.length);
  return Buffer.concat([
    Buffer.from("\u0093NUMPY\u0001\u0000", "latin1"),
    size,
    Buffer.from(padded, "latin1"),
    Buffer.from(values.buffer),
  ]);
}

function stylesOf(name: string): Float32Array {
  const values = new Float32Array(toneKokoro.styles * toneKokoro.styleValues);
  // The second value tells the row, which is chosen by the number of symbols.
  for (let row = 0; row < toneKokoro.styles; row++) values.set([tones[name] ?? 0, row], row * toneKokoro.styleValues);
  return values;
}

/** `known` are the symbols by their ids. */
function kokoroGraph(idsName: string, known: readonly string[]): Uint8Array {
  const g = new GraphBuilder();
  const { float32, int64 } = elementType;
  const cast = (value: string, to: number): string => g.node("Cast", [value], [{ name: "to", int: to }]);
  const framesOf = (symbol: string): number =>
    sounding.includes(symbol) ? LETTER_FRAMES : silent.includes(symbol) ? PAUSE_FRAMES : symbol === "$" ? 1 : 0;
  const toneOf = (symbol: string): number =>
    [...sounding].includes(symbol) ? 110 + 0.8 * [...sounding].indexOf(symbol) : 0;
  const ids = g.node("Reshape", [idsName, g.integers([-1])]);
  const frames = g.node("Ceil", [g.node("Div", [g.node("Gather", [g.floats(known.map(framesOf)), ids]), "speed"])]);

  // The id that sounds at a frame is the number of ids whose end is not after it.
  const ends = g.node("CumSum", [frames, g.integers([0], [])]);
  const total = g.node("ReduceMax", [ends], [{ name: "keepdims", int: 0 }]);
  const time = g.node("Range", [g.floats([0], []), total, g.floats([1], [])]);
  const over = cast(g.node("GreaterOrEqual", [g.node("Unsqueeze", [time, g.integers([1])]), ends]), float32);
  const idAt = cast(g.node("ReduceSum", [over, g.integers([1])], [{ name: "keepdims", int: 0 }]), int64);
  const tone = g.node("Gather", [g.node("Gather", [g.floats(known.map(toneOf)), ids]), idAt]);
  const higher = g.node("Add", [
    g.node("Reshape", [g.node("Slice", ["style", g.integers([0]), g.integers([1]), g.integers([1])]), g.integers([1])]),
    g.floats([1]),
  ]);
  const hertz = g.node("Mul", [tone, higher]);
  const loud = g.node("Mul", [cast(g.node("Greater", [tone, g.floats([0], [])]), float32), g.floats([0.4], [])]);

  const samples = g.node("Mul", [cast(total, int64), g.integers([HOP_SAMPLES], [])]);
  const index = cast(g.node("Range", [g.integers([0], []), samples, g.integers([1], [])]), float32);
  const byFrame = g.node("Reshape", [index, g.integers([-1, HOP_SAMPLES])]);
  const phase = g.node("Mul", [
    g.node("Mul", [g.node("Unsqueeze", [hertz, g.integers([1])]), byFrame]),
    g.floats([(2 * Math.PI) / toneKokoro.sampleRate], []),
  ]);
  const audio = g.node("Mul", [g.node("Sin", [phase]), g.node("Unsqueeze", [loud, g.integers([1])])]);
  g.node("Reshape", [audio, g.integers([1, -1])], [], "waveform");
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      { name: idsName, type: int64, shape: [1, "sequence_length"] },
      { name: "style", type: float32, shape: [1, toneKokoro.styleValues] },
      { name: "speed", type: float32, shape: [1] },
    ],
    outputs: [{ name: "waveform", type: float32, shape: [1, "num_samples"] }],
    metadata: {},
  });
}
