import { type Graph, type GraphTensor, openGraph } from "./runtime.js";
import {
  audioOf,
  type GraphCall,
  type GraphRow,
  type RestOfRow,
  rowsOf,
  type SpokenWindow,
  type VoiceGraph,
  voiceFeeds,
} from "./voice-graph.js";

/**
 * The files of a graph that is cut in two (`models/training/voice/windows.py`): the encoder reads ids and says how long
 * each lasts, the decoder turns any window of frames into samples. In one window they give what the whole graph gives.
 */
export interface GraphHalves {
  encoder: string;
  decoder: string;
}

/** More frames than a row has: a window ends where its row ends. */
const ALL_FRAMES = 2 ** 30;

/** Opens both halves of a voice on the processor. Rejects when they cannot be opened or do not fit together. */
export async function openWindowedGraph(halves: GraphHalves): Promise<VoiceGraph> {
  const encoder = await openGraph(halves.encoder, []);
  const decoder = await openGraph(halves.decoder, []);
  checkHalves(encoder, decoder);
  const decode = async (rest: RestOfRow): Promise<{ audio: Float32Array; turns: GraphTensor }> => {
    const window = BigInt64Array.of(BigInt(rest.firstFrame), BigInt(rest.windowFrames ?? ALL_FRAMES));
    const { output, next_turns: turns } = await decoder.run({
      ...rest.encoded,
      window: { type: "int64", data: window, dims: [2] },
      turns: rest.turns,
    });
    if (turns === undefined) throw new RangeError("the decoder has no output next_turns");
    return { audio: audioOf(output), turns };
  };
  const speakWindow = async (row: RestOfRow): Promise<SpokenWindow> => {
    const { audio, turns } = await decode(row);
    if (row.windowFrames === null) return { audio, rest: null };
    return { audio, rest: { ...row, turns, firstFrame: row.firstFrame + row.windowFrames, windowFrames: null } };
  };
  return {
    ...encoder,
    async run(call: GraphCall): Promise<GraphRow[]> {
      const { durations, ...encoded } = await encoder.run(voiceFeeds(encoder, call));
      const { audio } = await decode(fromTheStart(encoded, call.rows.length, null));
      return rowsOf(call, audio, durations);
    },
    windows: {
      async begin(call, { first, second, longRow }) {
        const { durations, ...encoded } = await encoder.run(voiceFeeds(encoder, call));
        if (durations?.type !== "int64") throw new RangeError("the encoder has no output durations");
        const frames = Float32Array.from(durations.data, Number);
        const count = frames.reduce((sum, each) => sum + each, 0);
        const begun = await speakWindow(fromTheStart(encoded, 1, count < 2 * first ? null : first));
        if (begun.rest !== null && count >= longRow) begun.rest.windowFrames = second;
        return { ...begun, frames };
      },
      next: speakWindow,
    },
  };
}

function fromTheStart(
  encoded: Record<string, GraphTensor>,
  rows: number,
  windowFrames: RestOfRow["windowFrames"],
): RestOfRow {
  const turns: GraphTensor = { type: "float32", data: new Float32Array(rows), dims: [rows, 1] };
  return { encoded, turns, firstFrame: 0, windowFrames };
}

function checkHalves(encoder: Graph, decoder: Graph): void {
  const given = [...encoder.outputNames.filter((name) => name !== "durations"), "window", "turns"];
  const missing = decoder.inputNames.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !decoder.inputNames.includes(name));
  if (missing.length + unknown.length > 0)
    throw new RangeError(`encoder and decoder do not fit together: ${[...missing, ...unknown].join(", ")}`);
}
