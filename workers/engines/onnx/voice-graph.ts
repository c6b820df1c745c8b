import { type Graph, type GraphTensor, openGraph } from "./runtime.js";

/** One call: rows of ids, padded here to the longest or to `padTo`. */
export interface GraphCall {
  rows: number[][];
  /** noise_scale, length_scale, noise_w; graphs that can be steered take the mean pitch in semitones as a fourth. */
  scales: number[];
  /** What the ids of each row are told, for graphs that can be steered; null leaves the input at `scales`. */
  controls: (IdControls | null)[] | null;
  /** What a prosody graph predicts each row's pitch from, where the voice has one; null for rows that keep their own. */
  prosody?: (ProsodyInput | null)[] | null;
  /** Speaker of each row. */
  speakerIds: number[];
  /** Row length to pad to, 0 for the longest row's. */
  padTo: number;
  hopLength: number;
  /** Style of each row, for graphs that take one instead of a speaker's number; Piper's take none. */
  styles?: Float32Array[] | null;
}

/** Pitch added to each id, in semitones, and factor on its duration. */
export interface IdControls {
  pitchSemitones: number[];
  durationFactors: number[];
}

/** What the prosody of one row is predicted from. */
export interface ProsodyInput {
  /** Ids of the symbols that last: phones, boundaries between words and pauses. */
  symbols: number[];
  /** The front end's columns of each of them, one symbol after the other. */
  columns: number[];
  /** Which of the row's ids each symbol is. */
  places: number[];
}

/** One row's audio in -1..1, a part of the graph's own memory, and the frames of each id where the graph tells them. */
export interface GraphRow {
  audio: Float32Array;
  frames: Float32Array | null;
}

/** Lengths of a row's windows, in frames. The last window has what is left. */
export interface WindowFrames {
  first: number;
  second: number;
  /** Rows of fewer frames have no second window: their rest is computed while the first sounds. */
  longRow: number;
}

/** One window of a row. */
export interface RowWindow {
  /** The window's audio in -1..1. */
  audio: Float32Array;
  /** Frames of each id, of the whole row. */
  frames: Float32Array;
}

/** A voice graph in Piper's layout: inputs by name, outputs by position. */
export interface VoiceGraph extends Omit<Graph, "run"> {
  run(call: GraphCall): Promise<GraphRow[]>;
  /**
   * Speaks a call's only row window by window, each when it is asked for; in one where it is shorter than two. Null where
   * the graph speaks a row in one call only.
   */
  speakWindows: ((call: GraphCall, windows: WindowFrames) => AsyncIterable<RowWindow>) | null;
}

/** Opens a voice graph; see `openGraph`. */
export async function openVoiceGraph(path: string, providers: readonly string[]): Promise<VoiceGraph> {
  const graph = await openGraph(path, providers);
  const run = async (call: GraphCall): Promise<GraphRow[]> =>
    call.styles ? await runStyled(graph, call, call.styles) : await runVoice(graph, call);
  return { ...graph, run, speakWindows: null };
}

/** Kokoro's inputs: one row in a call, the rate instead of the length. */
async function runStyled(graph: Graph, { rows, scales }: GraphCall, styles: Float32Array[]): Promise<GraphRow[]> {
  const spoken: GraphRow[] = [];
  // Hugging Face's export says input_ids, that of kokoro-onnx tokens.
  const ids = graph.inputNames.includes("tokens") ? "tokens" : "input_ids";
  for (const [r, row] of rows.entries()) {
    const style = styles[r] ?? new Float32Array(0);
    const results = await graph.run({
      [ids]: { type: "int64", data: BigInt64Array.from(row, BigInt), dims: [1, row.length] },
      style: { type: "float32", data: style, dims: [1, style.length] },
      speed: { type: "float32", data: Float32Array.of(1 / (scales[1] ?? 1)), dims: [1] },
    });
    spoken.push({ audio: audioOf(results[graph.outputNames[0] ?? ""]), frames: null });
  }
  return spoken;
}

async function runVoice(graph: Graph, call: GraphCall): Promise<GraphRow[]> {
  const results = await graph.run(voiceFeeds(graph, call));
  const [audioName = "", framesName = ""] = graph.outputNames;
  return rowsOf(call, audioOf(results[audioName]), results[framesName]);
}

/** Piper's inputs. */
export function voiceFeeds({ inputNames }: Graph, call: GraphCall): Record<string, GraphTensor> {
  const rows = call.rows.length;
  const width = widthOf(call);
  const ids = new BigInt64Array(rows * width);
  call.rows.forEach((row, r) => row.forEach((id, i) => (ids[r * width + i] = BigInt(id))));
  const scales = withControls(call, width);
  const feeds: Record<string, GraphTensor> = {
    input: { type: "int64", data: ids, dims: [rows, width] },
    input_lengths: { type: "int64", data: BigInt64Array.from(call.rows, (row) => BigInt(row.length)), dims: [rows] },
    scales: { type: "float32", data: scales, dims: [scales.length] },
  };
  if (inputNames.includes("sid"))
    feeds.sid = { type: "int64", data: BigInt64Array.from(call.speakerIds, BigInt), dims: [rows] };
  return feeds;
}

/** The rows of a call's audio, each ending where its frames do: what follows in a batch is padding. */
export function rowsOf(call: GraphCall, audio: Float32Array, durations: GraphTensor | undefined): GraphRow[] {
  const rows = call.rows.length;
  const width = widthOf(call);
  const frames = floats(durations);
  const rowSamples = audio.length / rows;
  const rowFrames = frames !== null && frames.length === rows * width ? width : 0;
  return call.rows.map((row, r) => {
    const own = frames !== null && rowFrames > 0 ? frames.slice(r * width, r * width + row.length) : null;
    const samples =
      own === null ? rowSamples : Math.min(rowSamples, own.reduce((sum, count) => sum + count, 0) * call.hopLength);
    return { audio: audio.subarray(r * rowSamples, r * rowSamples + samples), frames: own };
  });
}

/** Throws `RangeError` when a graph gave something else as audio. */
export function audioOf(output: GraphTensor | undefined): Float32Array {
  if (output?.type !== "float32") throw new RangeError("the graph's first output is not float32 audio");
  return output.data;
}

function widthOf({ rows, padTo }: GraphCall): number {
  return Math.max(padTo, ...rows.map((row) => row.length));
}

/** The scales, then pitch and then duration of every id, row by row: the layout of `models/parley-en/README.md`. */
function withControls({ scales, controls, rows }: GraphCall, width: number): Float32Array {
  if (controls === null || controls.every((row) => row === null)) return Float32Array.from(scales);
  const cells = rows.length * width;
  const extended = new Float32Array(scales.length + 2 * cells).fill(1, scales.length + cells);
  extended.set(scales);
  for (const [r, row] of controls.entries()) {
    if (row === null) continue;
    extended.set(row.pitchSemitones, scales.length + r * width);
    extended.set(row.durationFactors, scales.length + cells + r * width);
  }
  return extended;
}

function floats(tensor: GraphTensor | undefined): Float32Array | null {
  if (tensor?.type === "int64") return Float32Array.from(tensor.data, Number);
  return tensor?.type === "float32" ? tensor.data : null;
}
