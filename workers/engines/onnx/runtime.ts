import { InferenceSession, Tensor } from "onnxruntime-node";

/** The only file that knows onnxruntime: a voice graph in Piper's layout (inputs by name, outputs by position). */

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

export interface VoiceGraph {
  provider: string;
  /** Providers that were preferred and did not work, with the reason. */
  refused: { provider: string; reason: string }[];
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(call: GraphCall): Promise<GraphRow[]>;
}

/** Opens a graph with the first provider that works; the processor is always the last resort. Rejects when even that cannot. */
export async function openVoiceGraph(path: string, providers: readonly string[]): Promise<VoiceGraph> {
  const refused: VoiceGraph["refused"] = [];
  for (const provider of [...providers.filter((name) => name !== "cpu"), "cpu"]) {
    try {
      const session = await InferenceSession.create(path, {
        executionProviders: [provider],
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
        extra: { session: { intra_op: { allow_spinning: "0" } } },
      });
      return { provider, refused, inputNames: session.inputNames, outputNames: session.outputNames, run: (call) => runGraph(session, call) };
    } catch (error) {
      if (provider === "cpu") throw error;
      refused.push({ provider, reason: (error instanceof Error ? error.message : String(error)).slice(0, 300) });
    }
  }
  throw new RangeError("unreachable: the processor is always tried");
}

async function runGraph(session: InferenceSession, call: GraphCall): Promise<GraphRow[]> {
  const rows = call.rows.length;
  const width = Math.max(call.padTo, ...call.rows.map((row) => row.length));
  const ids = new BigInt64Array(rows * width);
  call.rows.forEach((row, r) => row.forEach((id, i) => (ids[r * width + i] = BigInt(id))));
  const feeds: Record<string, Tensor> = {
    input: new Tensor("int64", ids, [rows, width]),
    input_lengths: new Tensor(
      "int64",
      BigInt64Array.from(call.rows, (row) => BigInt(row.length)),
      [rows],
    ),
    scales: new Tensor("float32", Float32Array.from(call.scales), [3]),
  };
  if (session.inputNames.includes("sid")) feeds.sid = new Tensor("int64", BigInt64Array.from(call.speakerIds, BigInt), [rows]);
  const results = await session.run(feeds);
  const [soundName = "", framesName] = session.outputNames;
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

function floats(tensor: Tensor | undefined): Float32Array | null {
  return tensor?.data instanceof Float32Array ? tensor.data : null;
}
