import type { TaskParts } from "../model-threads.js";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { toSamples } from "../shaping.js";
import { changePitch } from "./pitch-change.js";
import { withProsody } from "./prosody-graph.js";
import { type GraphCall, openVoiceGraph, type VoiceGraph, type WindowFrames } from "./voice-graph.js";
import { whispered } from "./whisper.js";
import { type GraphHalves, openWindowedGraph } from "./windowed-graph.js";

/** Where a voice's graph lies. */
export interface VoiceFiles {
  graph: string;
  /** The same graph cut in two, which the processor takes instead; null where it is not. */
  halves: GraphHalves | null;
  /** The graph that predicts the pitch of each symbol from words and sentences; null where the voice has none. */
  prosody: string | null;
}

interface VoiceTask {
  voice: VoiceFiles;
  providers: readonly string[];
}

/**
 * What a pool thread is asked: open a voice and say what it is, speak with it, or speak a row window by
 * window. Each thread opens each voice once.
 */
export type ThreadTask = VoiceTask &
  (
    | { kind: "open" }
    | { kind: "speak"; call: GraphCall; sampleRate: number; changes: AudioChange[] }
    | ({ kind: "speak-windows"; call: GraphCall; windows: WindowFrames } & TaskParts)
  );

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
  /** Whether it begins a row with a window of it. */
  hasWindows: boolean;
}

/**
 * One row: audio after the change of pitch, as samples, which are half as much to hand over as the graph's floats, and
 * frames of each id (at the graph's own rate, before the change).
 */
export interface SpokenRow {
  samples: Int16Array;
  frames: Float32Array | null;
}

/** A window of a row. */
export interface WindowSpeech {
  samples: Int16Array;
  /** Frames of each id of the whole row. */
  frames: Float32Array;
}

const graphs = new Map<string, Promise<VoiceGraph>>();

export default async function handle(task: ThreadTask): Promise<OpenedVoice | SpokenRow[] | null> {
  const graph = await open(task);
  if (task.kind === "open") {
    const { provider, refused, inputNames, outputNames, speakWindows } = graph;
    const names = { inputNames: [...inputNames], outputNames: [...outputNames] };
    return { provider, refused, ...names, hasWindows: speakWindows !== null };
  }
  if (task.kind === "speak") return await speak(graph, task);
  await speakWindows(graph, task);
  return null;
}

/** Gives each window before the next is computed. */
async function speakWindows(
  { speakWindows }: VoiceGraph,
  { call, windows, unwanted, port }: Extract<ThreadTask, { kind: "speak-windows" }>,
): Promise<void> {
  try {
    if (speakWindows === null) throw new RangeError("the graph does not speak in windows");
    for await (const { audio, frames } of speakWindows(call, windows)) {
      const samples = toSamples(audio);
      const spoken: WindowSpeech = { samples, frames };
      port.postMessage(spoken, [samples.buffer as ArrayBuffer]);
      if (Atomics.load(unwanted, 0) !== 0) return;
    }
  } finally {
    port.postMessage(null);
    port.close();
  }
}

async function speak(
  graph: VoiceGraph,
  { call, changes, sampleRate }: Extract<ThreadTask, { kind: "speak" }>,
): Promise<SpokenRow[]> {
  const rows = await graph.run(call);
  const spoken = rows.map(({ audio, frames }, i): SpokenRow => {
    const { pitchRatio, whisper } = changes[i] ?? { pitchRatio: 1, whisper: false };
    const pitched = changePitch(audio, pitchRatio);
    return { samples: toSamples(whisper ? whispered(pitched, sampleRate) : pitched), frames };
  });
  const buffers = spoken.flatMap(({ samples, frames }) =>
    frames === null ? [samples.buffer] : [samples.buffer, frames.buffer],
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: spoken } as never) as unknown as SpokenRow[];
}

function open({ voice, providers }: VoiceTask): Promise<VoiceGraph> {
  const known = graphs.get(voice.graph) ?? openVoice(voice, providers);
  graphs.set(voice.graph, known);
  known.catch(() => graphs.delete(voice.graph));
  return known;
}

async function openVoice(files: VoiceFiles, providers: readonly string[]): Promise<VoiceGraph> {
  const voice = await openSpeakingGraph(files, providers);
  return files.prosody === null ? voice : await withProsody(voice, files.prosody);
}

/** The halves take the whole graph's place where the processor runs it: both would hold the weights twice. */
async function openSpeakingGraph({ graph, halves }: VoiceFiles, providers: readonly string[]): Promise<VoiceGraph> {
  if (halves === null) return await openVoiceGraph(graph, providers);
  if (providers.every((name) => name === "cpu")) return await openWindowedGraph(halves);
  const whole = await openVoiceGraph(graph, providers);
  return whole.provider === "cpu" ? { ...(await openWindowedGraph(halves)), refused: whole.refused } : whole;
}
