import { move, transferableSymbol, valueSymbol } from "piscina";
import type { TaskParts } from "../model-threads.js";
import { changePitch } from "../onnx/pitch-change.js";
import { whispered } from "../onnx/whisper.js";
import { toSamples } from "../shaping.js";
import { stretchTime } from "../time-stretch.js";
import { type Ending, type ConditionedVoice, conditionOnVoice, speakUtterance, type Utterance } from "./generation.js";
import { joinFloats } from "./join-floats.js";
import { openPocketGraphs, type PocketGraphs, type PocketSource } from "./graphs.js";
import { PROMPT_RATE } from "#protocol/bus/voice-prompts";

/** What a thread is asked: open a model and say what it is, encode a recording, or speak. Each thread opens it once. */
export type PocketTask =
  | { kind: "open"; source: PocketSource }
  | { kind: "encode"; source: PocketSource; audio: Float32Array }
  | ({
      kind: "speak";
      source: PocketSource;
      utterance: Utterance;
      /** What is done to the audio; null leaves it, and lets it go out as it is made. */
      change: PocketChange | null;
    } & TaskParts);

/** What the model cannot do itself. */
export interface PocketChange {
  /** Factor on the duration, at the pitch that there is. */
  length: number;
  pitchRatio: number;
  whisper: boolean;
}

export type OpenedPocket = Pick<PocketGraphs, "provider" | "refused" | "positions">;

/** What a recording is to the model. */
export interface EncodedVoice {
  frames: number;
  data: Float32Array;
}

interface OpenModel {
  graphs: PocketGraphs;
  /** The voice that spoke last: a stream's next chunk has the same. */
  conditioned: ConditionedVoice | null;
}

const models = new Map<string, Promise<OpenModel>>();

export default async function handle(task: PocketTask): Promise<OpenedPocket | EncodedVoice | Ending> {
  const model = await open(task.source);
  if (task.kind === "open") {
    const { provider, refused, positions } = model.graphs;
    return { provider, refused, positions };
  }
  if (task.kind === "speak") return await speak(model, task);
  const { data, dims } = await model.graphs.encode(task.audio);
  const encoded: EncodedVoice = { frames: dims[1] ?? 0, data: Float32Array.from(data as Float32Array) };
  return move({
    [transferableSymbol]: [encoded.data.buffer],
    [valueSymbol]: encoded,
  } as never) as unknown as EncodedVoice;
}

async function speak(
  model: OpenModel,
  { utterance, change, unwanted, port }: Extract<PocketTask, { kind: "speak" }>,
): Promise<Ending> {
  const { graphs } = model;
  const post = (audio: Float32Array): void => {
    const samples = toSamples(audio);
    port.postMessage(samples, [samples.buffer as ArrayBuffer]);
  };
  const held: Float32Array[] = [];
  try {
    if (model.conditioned?.key !== utterance.voice.key)
      model.conditioned = await conditionOnVoice(graphs, utterance.voice);
    const ending = await speakUtterance(graphs, model.conditioned, utterance, {
      onAudio: change === null ? post : (audio) => void held.push(audio),
      stopped: () => Atomics.load(unwanted, 0) !== 0,
    });
    if (change !== null && ending !== "stopped") post(changed(joinFloats(held), change));
    return ending;
  } finally {
    port.postMessage(null);
    port.close();
  }
}

function changed(audio: Float32Array, { length, pitchRatio, whisper }: PocketChange): Float32Array {
  const pitched = changePitch(stretchTime(audio, length * pitchRatio, PROMPT_RATE), pitchRatio);
  return whisper ? whispered(pitched, PROMPT_RATE) : pitched;
}

function open(source: PocketSource): Promise<OpenModel> {
  const key = source.paths.lm_main;
  const known = models.get(key) ?? openPocketGraphs(source).then((graphs) => ({ graphs, conditioned: null }));
  models.set(key, known);
  known.catch(() => models.delete(key));
  return known;
}
