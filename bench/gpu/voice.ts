import { chunkOf, loadVoiceEngine } from "../voice-engine.js";
import { percentile } from "../statistics.js";
import { type BatchFigures, batchCurve, streamsOf } from "./measure.js";

/** One clause of 20 characters, as `first-audio` has it. */
const CLAUSE = "The train is late.";
const SENTENCE = "The morning train from the coast will arrive twenty minutes late today.";
const CLAUSES = 40;
/** A call that takes longer would be heard as a wait. */
const STREAM_CALL_MS = 300;

/** What a voice does with one execution provider. */
export interface VoiceFigures {
  provider: string;
  firstAudioP50Ms: number;
  firstAudioP95Ms: number;
  streams: number;
  curve: BatchFigures[];
}

/** Measures the voice that English has, in this process and without a cluster. */
export async function measureVoice(
  provider: string,
  { sizes, forMs }: { sizes: readonly number[]; forMs: number },
): Promise<VoiceFigures> {
  const { engine, close } = await loadVoiceEngine([provider]);
  try {
    const { sampleRate, provider: opened } = engine.describe();
    if (opened !== provider) throw new Error(`the voice was opened with ${opened}, not with ${provider}`);
    const signal = new AbortController().signal;
    const speak = async (texts: readonly string[], emit: () => void): Promise<number> => {
      const results = await engine.speak(texts.map((text) => ({ chunk: chunkOf(text), emit, signal })));
      return results.reduce((sum, result) => {
        if (result.result === "failed") throw result.error;
        return result.result === "spoken" ? sum + result.samples / sampleRate : sum;
      }, 0);
    };
    const firstMs: number[] = [];
    for (let clause = 0; clause < CLAUSES; clause++) {
      const beginMs = performance.now();
      let atMs: number | null = null;
      await speak([CLAUSE], () => (atMs ??= performance.now() - beginMs));
      firstMs.push(atMs ?? Number.NaN);
    }
    const curve = await batchCurve(sizes, forMs, (batch) => speak(Array(batch).fill(SENTENCE), () => undefined));
    return {
      provider,
      firstAudioP50Ms: percentile(firstMs, 0.5),
      firstAudioP95Ms: percentile(firstMs, 0.95),
      streams: streamsOf(curve, STREAM_CALL_MS),
      curve,
    };
  } finally {
    await close();
  }
}
