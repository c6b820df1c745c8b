import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { elementType, GraphBuilder } from "./graph.js";

/**
 * A voice of a few kilobytes with the inputs and outputs of a real one: each letter is a tone of its own, blanks and
 * punctuation are silence. Durations follow `length_scale`, pitch follows `sid`, rows of a batch are masked by
 * `input_lengths`, and the second output gives the frames of each id, as Piper's voices do.
 */
export interface ToneVoiceOptions {
  speakers: number;
  sampleRate: number;
  /** `text`, or `espeak` with IPA symbols. */
  phonemeType: "text" | "espeak";
  /** Whether the second output is there. */
  frameCounts: boolean;
}

export const defaultToneVoice: ToneVoiceOptions = {
  speakers: 3,
  sampleRate: 22_050,
  phonemeType: "text",
  frameCounts: true,
};

const HOP_SAMPLES = 128;
const LETTER_FRAMES = 16;
const PAUSE_FRAMES = 8;
const OPERATOR_SET = 15;

const letters = "abcdefghijklmnopqrstuvwxyz";
const ipa = "ɐəɛɪɔʊʌɑæɜɚɹɾɡŋʃʒθðˈˌːᵻɫʔ";
const silent = " .,!?;:'-";

/** Writes `<name>.onnx` and `<name>.onnx.json` into a folder, which is made when missing; gives the two paths. */
export function writeToneVoice(
  folder: string,
  name: string,
  change: Partial<ToneVoiceOptions> = {},
): { graph: string; voice: string } {
  const options = { ...defaultToneVoice, ...change };
  mkdirSync(folder, { recursive: true });
  const graph = join(folder, `${name}.onnx`);
  writeFileSync(graph, toneGraph(options));
  writeFileSync(`${graph}.json`, `${JSON.stringify(toneConfig(options), null, 2)}\n`);
  return { graph, voice: `${graph}.json` };
}

function symbolsOf({ phonemeType }: ToneVoiceOptions): string[] {
  return ["_", "^", "$", ...silent, ...letters, ...(phonemeType === "espeak" ? ipa : "")];
}

/** The voice's JSON, in Piper's form. */
export function toneConfig(options: ToneVoiceOptions): Record<string, unknown> {
  const symbols = symbolsOf(options);
  return {
    audio: { sample_rate: options.sampleRate },
    espeak: { voice: "en-us" },
    language: { code: "en_US" },
    phoneme_type: options.phonemeType,
    num_symbols: symbols.length,
    num_speakers: options.speakers,
    speaker_id_map:
      options.speakers > 1
        ? Object.fromEntries(Array.from({ length: options.speakers }, (_, i) => [`tone${i}`, i]))
        : {},
    inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
    hop_length: HOP_SAMPLES,
    phoneme_id_map: Object.fromEntries(symbols.map((symbol, id) => [symbol, [id]])),
  };
}

/** The graph, as the bytes of an ONNX file. */
export function toneGraph(options: ToneVoiceOptions): Uint8Array {
  const symbols = symbolsOf(options);
  const sounding = (symbol: string): number => [...letters, ...ipa].indexOf(symbol);
  const g = new GraphBuilder();
  const cast = (value: string, to: number): string => g.node("Cast", [value], [{ name: "to", int: to }]);
  const axes = (...values: number[]): string => g.integers(values);

  const baseFrames = symbols.map((symbol) =>
    sounding(symbol) >= 0 ? LETTER_FRAMES : symbol === "_" ? 0 : symbol === "^" || symbol === "$" ? 1 : PAUSE_FRAMES,
  );
  const tones = symbols.map((symbol) => (sounding(symbol) >= 0 ? 110 + 1.6 * sounding(symbol) : 0));
  const lengthScale = g.node("Gather", ["scales", g.integers([1], [])]);
  const wanted = g.node("Ceil", [g.node("Mul", [g.node("Gather", [g.floats(baseFrames), "input"]), lengthScale])]);

  const width = g.node("Gather", [g.node("Shape", ["input"]), g.integers([1], [])]);
  const positions = g.node("Range", [g.integers([0], []), width, g.integers([1], [])]);
  const real = g.node("Less", [positions, g.node("Unsqueeze", ["input_lengths", axes(1)])]);
  const frames = g.node("Mul", [wanted, cast(real, elementType.float32)], [], "durations");

  // ends[b,p]: the frame at which id p of row b is over. The id that sounds at frame t is the number of ends not after
  // t.
  const ends = g.node("CumSum", [frames, g.integers([1], [])]);
  const longest = cast(g.node("ReduceMax", [ends], [{ name: "keepdims", int: 0 }]), elementType.int64);
  const time = cast(g.node("Range", [g.integers([0], []), longest, g.integers([1], [])]), elementType.float32);
  const over = cast(g.node("GreaterOrEqual", [time, g.node("Unsqueeze", [ends, axes(2)])]), elementType.float32);
  const idAt = cast(g.node("ReduceSum", [over, axes(1)], [{ name: "keepdims", int: 0 }]), elementType.int64);
  const lastId = g.node("Sub", [width, g.integers([1], [])]);
  const safeIdAt = g.node("Min", [idAt, lastId]);
  const toneOfId = g.node("Gather", [g.floats(tones), "input"]);
  const toneAt = g.node("GatherElements", [toneOfId, safeIdAt], [{ name: "axis", int: 1 }]);
  const rowEnd = g.node(
    "ReduceMax",
    [ends],
    [
      { name: "axes", ints: [1] },
      { name: "keepdims", int: 1 },
    ],
  );
  const inside = cast(g.node("Less", [time, rowEnd]), elementType.float32);
  const loud = g.node("Mul", [cast(g.node("Greater", [toneAt, g.floats([0], [])]), elementType.float32), inside]);

  const speakerFactor =
    options.speakers > 1
      ? g.node("Unsqueeze", [
          g.node("Add", [g.node("Mul", [cast("sid", elementType.float32), g.floats([0.25], [])]), g.floats([1], [])]),
          axes(1),
        ])
      : g.floats([1], [1, 1]);
  const hertz = g.node("Mul", [toneAt, speakerFactor]);

  const sampleCount = g.node("Mul", [longest, g.integers([HOP_SAMPLES], [])]);
  const sampleIndex = cast(
    g.node("Range", [g.integers([0], []), sampleCount, g.integers([1], [])]),
    elementType.float32,
  );
  const byFrame = g.node("Reshape", [sampleIndex, g.integers([1, -1, HOP_SAMPLES])]);
  const cycles = g.node("Mul", [g.node("Unsqueeze", [hertz, axes(2)]), byFrame]);
  const phase = g.node("Mul", [cycles, g.floats([(2 * Math.PI) / options.sampleRate], [])]);
  const amplitude = g.node("Mul", [g.node("Unsqueeze", [loud, axes(2)]), g.floats([0.4], [])]);
  const audio = g.node("Mul", [g.node("Sin", [phase]), amplitude]);
  const rows = g.node("Shape", ["input_lengths"]);
  g.node("Reshape", [audio, g.node("Concat", [rows, g.integers([1, -1])], [{ name: "axis", int: 0 }])], [], "output");

  const { float32, int64 } = elementType;
  return g.model({
    operatorSet: OPERATOR_SET,
    inputs: [
      { name: "input", type: int64, shape: ["batch", "phonemes"] },
      { name: "input_lengths", type: int64, shape: ["batch"] },
      { name: "scales", type: float32, shape: [3] },
      ...(options.speakers > 1 ? [{ name: "sid", type: int64, shape: ["batch"] }] : []),
    ],
    outputs: [
      { name: "output", type: float32, shape: ["batch", 1, "time"] },
      ...(options.frameCounts ? [{ name: "durations", type: float32, shape: ["batch", "phonemes"] }] : []),
    ],
    metadata: {
      sample_rate: String(options.sampleRate),
      n_speakers: String(options.speakers),
      language: "English",
      comment: "piper",
    },
  });
}
