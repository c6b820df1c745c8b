import { move, transferableSymbol, valueSymbol } from "piscina";
import { toSamples } from "../shaping.js";
import { changePitch } from "./pitch-change.js";
import { type GraphCall, openVoiceGraph, type VoiceGraph } from "./voice-graph.js";
import { whispered } from "./whisper.js";

/**
 * What a pool thread is asked: open a voice and say what it is, or speak with it. Each thread opens each voice once.
 */
export type ThreadTask =
  | { kind: "open"; path: string; providers: readonly string[] }
  | {
      kind: "speak";
      path: string;
      providers: readonly string[];
      call: GraphCall;
      sampleRate: number;
      changes: AudioChange[];
    };

/** What is done to a row's audio after the graph. */
export interface AudioChange {
  /** 1 leaves the pitch. */
  pitchRatio: number;
  whisper: boolean;
}

export interface OpenedVoice {
  provider: string;
  refused: { provider: string; reason: string }[];
  inputNames: readonly string[];
  outputNames: readonly string[];
}

/**
 * One row: audio after the change of pitch, as samples, which are half as much to hand over as the graph's floats, and
 * frames of each id (at the graph's own rate, before the change).
 */
export interface SpokenRow {
  samples: Int16Array;
  frames: Float32Array | null;
}

const graphs = new Map<string, Promise<VoiceGraph>>();

export default async function handle(task: ThreadTask): Promise<OpenedVoice | SpokenRow[]> {
  const graph = await open(task.path, task.providers);
  if (task.kind === "open") {
    const { provider, refused, inputNames, outputNames } = graph;
    return { provider, refused, inputNames: [...inputNames], outputNames: [...outputNames] };
  }
  const rows = await graph.run(task.call);
  const spoken = rows.map(({ audio, frames }, i): SpokenRow => {
    const { pitchRatio, whisper } = task.changes[i] ?? { pitchRatio: 1, whisper: false };
    const pitched = changePitch(audio, pitchRatio);
    return { samples: toSamples(whisper ? whispered(pitched, task.sampleRate) : pitched), frames };
  });
  const buffers = spoken.flatMap(({ samples, frames }) =>
    frames === null ? [samples.buffer] : [samples.buffer, frames.buffer],
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: spoken } as never) as unknown as SpokenRow[];
}

function open(path: string, providers: readonly string[]): Promise<VoiceGraph> {
  const known = graphs.get(path) ?? openVoiceGraph(path, providers);
  graphs.set(path, known);
  known.catch(() => graphs.delete(path));
  return known;
}
