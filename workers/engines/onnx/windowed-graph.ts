import { type Graph, type GraphTensor, openGraph } from "./runtime.js";
import {
  audioOf,
  type GraphCall,
  type GraphRow,
  rowsOf,
  type VoiceGraph,
  voiceFeeds,
  type WindowFrames,
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

/** What the decoder needs for a window. */
interface Decoding {
  /** The encoder's outputs, by name. */
  encoded: Record<string, GraphTensor>;
  /** The decoder's running sum of turns where the window begins. */
  turns: GraphTensor;
  firstFrame: number;
  frames: number;
}

/** Opens both halves of a voice on the processor. Rejects when they cannot be opened or do not fit together. */
export async function openWindowedGraph(halves: GraphHalves): Promise<VoiceGraph> {
  const encoder = await openGraph(halves.encoder, []);
  const decoder = await openGraph(halves.decoder, []);
  checkHalves(encoder, decoder);
  const decode = async ({ encoded, turns, firstFrame, frames }: Decoding): Promise<Decoded> => {
    const window = BigInt64Array.of(BigInt(firstFrame), BigInt(frames));
    const { output, next_turns: nextTurns } = await decoder.run({
      ...encoded,
      window: { type: "int64", data: window, dims: [2] },
      turns,
    });
    if (nextTurns === undefined) throw new RangeError("the decoder has no output next_turns");
    return { audio: audioOf(output), nextTurns };
  };
  return {
    ...encoder,
    async run(call: GraphCall): Promise<GraphRow[]> {
      const { durations, ...encoded } = await encoder.run(voiceFeeds(encoder, call));
      const turns = noTurns(call.rows.length);
      const { audio } = await decode({ encoded, turns, firstFrame: 0, frames: ALL_FRAMES });
      return rowsOf(call, audio, durations);
    },
    async *speakWindows(call, windows) {
      const { durations, ...encoded } = await encoder.run(voiceFeeds(encoder, call));
      if (durations?.type !== "int64") throw new RangeError("the encoder has no output durations");
      const ofIds = Float32Array.from(durations.data, Number);
      let turns = noTurns(1);
      let firstFrame = 0;
      for (const frames of windowsOf(
        ofIds.reduce((sum, each) => sum + each, 0),
        windows,
      )) {
        const { audio, nextTurns } = await decode({ encoded, turns, firstFrame, frames });
        yield { audio, frames: ofIds };
        turns = nextTurns;
        firstFrame += frames;
      }
    },
  };
}

interface Decoded {
  audio: Float32Array;
  nextTurns: GraphTensor;
}

/** Lengths of the windows of a row of so many frames. */
function windowsOf(rowFrames: number, { first, second, longRow }: WindowFrames): number[] {
  if (rowFrames < 2 * first) return [ALL_FRAMES];
  return rowFrames < longRow ? [first, ALL_FRAMES] : [first, second, ALL_FRAMES];
}

function noTurns(rows: number): GraphTensor {
  return { type: "float32", data: new Float32Array(rows), dims: [rows, 1] };
}

function checkHalves(encoder: Graph, decoder: Graph): void {
  const given = [...encoder.outputNames.filter((name) => name !== "durations"), "window", "turns"];
  const missing = decoder.inputNames.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !decoder.inputNames.includes(name));
  if (missing.length + unknown.length > 0)
    throw new RangeError(`encoder and decoder do not fit together: ${[...missing, ...unknown].join(", ")}`);
}
