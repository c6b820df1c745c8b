import { type Graph, type GraphTensor, openGraph } from "./runtime.js";

/** One call: rows of ids, padded here to the longest or to `padTo`. */
export interface GraphCall {
  rows: number[][];
  /** noise_scale, length_scale, noise_w. */
  scales: [number, number, number];
  /** Speaker of each row. */
  speakerIds: number[];
  /** Row length to pad to, 0 for the longest row's. */
  padTo: number;
  hopLength: number;
}

/** One row's sound in -1..1, and the frames of each id where the graph tells them. */
export interface GraphRow {
  sound: Float32Array;
  frames: Float32Array | null;
}

/** A voice graph in Piper's layout: inputs by name, outputs by position. */
export interface VoiceGraph extends Omit<Graph, "run"> {
  run(call: GraphCall): Promise<GraphRow[]>;
}

/** Opens a voice graph; see `openGraph`. */
export async function openVoiceGraph(path: string, providers: readonly string[]): Promise<VoiceGraph> {
  const graph = await openGraph(path, providers);
  return { ...graph, run: (call) => runVoice(graph, call) };
}

async function runVoice(graph: Graph, call: GraphCall): Promise<GraphRow[]> {
  const rows = call.rows.length;
  const width = Math.max(call.padTo, ...call.rows.map((row) => row.length));
  const ids = new BigInt64Array(rows * width);
  call.rows.forEach((row, r) => row.forEach((id, i) => (ids[r * width + i] = BigInt(id))));
  const feeds: Record<string, GraphTensor> = {
    input: { type: "int64", data: ids, dims: [rows, width] },
    input_lengths: { type: "int64", data: BigInt64Array.from(call.rows, (row) => BigInt(row.length)), dims: [rows] },
    scales: { type: "float32", data: Float32Array.from(call.scales), dims: [3] },
  };
  if (graph.inputNames.includes("sid")) feeds.sid = { type: "int64", data: BigInt64Array.from(call.speakerIds, BigInt), dims: [rows] };
  const results = await graph.run(feeds);
  const [soundName = "", framesName] = graph.outputNames;
  const sound = floats(results[soundName]);
  const frames = framesName === undefined ? null : floats(results[framesName]);
  if (sound === null) throw new RangeError("the graph's first output is not float32 sound");
  const rowSamples = sound.length / rows;
  const rowFrames = frames !== null && frames.length === rows * width ? width : 0;
  return call.rows.map((row, r) => {
    const own = frames !== null && rowFrames > 0 ? frames.slice(r * width, r * width + row.length) : null;
    // A row of a batch ends where its frames do; what follows is padding.
    const samples = own === null ? rowSamples : Math.min(rowSamples, own.reduce((sum, count) => sum + count, 0) * call.hopLength);
    return { sound: sound.slice(r * rowSamples, r * rowSamples + samples), frames: own };
  });
}

function floats(tensor: GraphTensor | undefined): Float32Array | null {
  return tensor?.type === "float32" ? tensor.data : null;
}
