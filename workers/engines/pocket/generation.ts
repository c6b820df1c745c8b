import type { Sampling } from "#protocol/speech/chunk";
import type { GraphTensor } from "../onnx/runtime.js";
import type { GraphState, PocketGraphs } from "./graphs.js";
import { joinFloats } from "./join-floats.js";
import { latentNoise } from "./noise.js";

/** Logit of the end above which the model has said its text; it is given some more frames to let it fade away. */
const ENDING_ABOVE = -4;
const FRAMES_AFTER_END = 3;
const FRAMES_AFTER_SHORT_END = 5;
/** A text of up to so many words is short. */
const SHORT_WORDS = 4;

/** Frames decoded at once: few while the client waits for its first audio. */
const FIRST_GROUPS = [2, 4];
const GROUP_FRAMES = 8;

/** Latents per second of audio. */
const FRAMES_PER_SECOND = 12.5;
/** Longest audio of a text: a second for each word or six characters, and two more. A model that does not end is cut. */
const CHARACTERS_PER_SECOND = 6;
const MORE_SECONDS = 2;

/** A recording as the model knows it: `frames` embeddings. `key` tells it from others. */
export interface VoiceEmbedding {
  key: string;
  frames: number;
  data: Float32Array;
}

export interface Utterance {
  voice: VoiceEmbedding;
  sentence: string;
  tokens: readonly number[];
  seed: number;
  sampling: Sampling;
}

/** How an utterance ended: by itself, cut because it would not end, or because it was not wanted any more. */
export type Ending = "ended" | "cut" | "stopped";

/** What the state of `lm_main` is after a voice's recording: the same for all that the voice says. */
export interface ConditionedVoice {
  key: string;
  state: GraphState;
}

/** Most frames of audio that a text may take. */
function mostFrames(sentence: string): number {
  const words = sentence.split(" ").length;
  const seconds = Math.max(words, sentence.length / CHARACTERS_PER_SECOND) + MORE_SECONDS;
  return Math.ceil(seconds * FRAMES_PER_SECOND);
}

/** Gives `lm_main` a recording to continue. */
export async function conditionOnVoice(graphs: PocketGraphs, voice: VoiceEmbedding): Promise<ConditionedVoice> {
  const embeddings = floats(voice.data, [1, voice.frames, graphs.embeddingSize]);
  const { state } = await graphs.main(noLatents(graphs), embeddings, graphs.emptyState("lm_main"));
  return { key: voice.key, state };
}

/**
 * Speaks a text with a voice: latent after latent, each made of noise and of all before it, decoded
 * in groups that depend on their number alone. `stopped` is asked between steps.
 */
export async function speakUtterance(
  graphs: PocketGraphs,
  conditioned: ConditionedVoice,
  utterance: Utterance,
  { onAudio, stopped }: { onAudio(audio: Float32Array): void; stopped(): boolean },
): Promise<Ending> {
  const { sentence, tokens, voice, seed, sampling } = utterance;
  const noise = latentNoise(seed, sampling);
  const room = graphs.positions - voice.frames - tokens.length;
  const limit = Math.min(mostFrames(sentence), room);
  const after = sentence.split(" ").length <= SHORT_WORDS ? FRAMES_AFTER_SHORT_END : FRAMES_AFTER_END;
  const decoder = groupDecoder(graphs, onAudio);
  const text = await graphs.condition(tokens);
  let { state } = await graphs.main(noLatents(graphs), text, conditioned.state);
  const noText = floats(new Float32Array(0), [1, 0, graphs.embeddingSize]);
  let latent = new Float32Array(graphs.latentSize).fill(Number.NaN);
  let last = Number.POSITIVE_INFINITY;
  for (let frame = 0; frame < limit; frame++) {
    if (stopped()) return "stopped";
    const step = await graphs.main(floats(latent, [1, 1, graphs.latentSize]), noText, state);
    state = step.state;
    if (step.ending > ENDING_ABOVE && last === Number.POSITIVE_INFINITY) last = frame + after;
    if (frame >= last) {
      await decoder.finish();
      return "ended";
    }
    latent = await makeLatent(graphs, step.conditioning, noise(graphs.latentSize));
    await decoder.add(latent);
  }
  await decoder.finish();
  return "cut";
}

/** One step of the flow from noise to speech, which is what the model was distilled for. */
async function makeLatent(
  graphs: PocketGraphs,
  conditioning: GraphTensor,
  noise: Float32Array,
): Promise<Float32Array<ArrayBuffer>> {
  const [s, t] = [floats(Float32Array.of(0), [1, 1]), floats(Float32Array.of(1), [1, 1])];
  const direction = await graphs.flow({ c: conditioning, s, t, x: floats(noise, [1, noise.length]) });
  return Float32Array.from(noise, (value, i) => value + (direction[i] ?? 0));
}

/** Decodes latents in groups of fixed sizes, so that the audio does not depend on how fast they came. */
function groupDecoder(
  graphs: PocketGraphs,
  onAudio: (audio: Float32Array) => void,
): { add(latent: Float32Array): Promise<void>; finish(): Promise<void> } {
  let state = graphs.emptyState("decoder");
  let held: Float32Array[] = [];
  let groups = 0;
  const decode = async (): Promise<void> => {
    const latents = joinFloats(held);
    held = [];
    groups++;
    const decoded = await graphs.decode(latents, state);
    state = decoded.state;
    onAudio(decoded.audio);
  };
  return {
    async add(latent) {
      held.push(latent);
      if (held.length >= (FIRST_GROUPS[groups] ?? GROUP_FRAMES)) await decode();
    },
    async finish() {
      if (held.length > 0) await decode();
    },
  };
}

function noLatents({ latentSize }: PocketGraphs): GraphTensor {
  return floats(new Float32Array(0), [1, 0, latentSize]);
}

function floats(data: Float32Array, dims: number[]): GraphTensor {
  return { type: "float32", data, dims };
}
