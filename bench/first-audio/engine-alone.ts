import { firstAudible } from "../audible.js";
import { chunkOf, loadVoiceEngine } from "../voice-engine.js";

/** The worker's engine without a cluster around it. */
export interface EngineAlone {
  /** Speaks the text; gives the time to the piece with the first audible sample, and the length of the audio. */
  speak(text: string): Promise<{ firstAudibleMs: number; audioMs: number; leadingMs: number }>;
  close(): Promise<void>;
}

/** Loads and warms the engine as a worker with one slot does. */
export async function loadEngineAlone(): Promise<EngineAlone> {
  const { engine, close } = await loadVoiceEngine();
  const { sampleRate } = engine.describe();
  return {
    async speak(text) {
      let firstAudibleMs = Number.NaN;
      let leadingMs = 0;
      let samplesSoFar = 0;
      const startMs = performance.now();
      const [result] = await engine.speak([
        {
          chunk: chunkOf(text),
          signal: new AbortController().signal,
          emit: ({ samples }) => {
            const onset = Number.isNaN(firstAudibleMs) ? firstAudible(samples) : -1;
            if (onset >= 0) {
              firstAudibleMs = performance.now() - startMs;
              leadingMs = ((samplesSoFar + onset) / sampleRate) * 1000;
            }
            samplesSoFar += samples.length;
          },
        },
      ]);
      if (result?.result !== "spoken") throw new Error(`the engine alone did not speak: ${JSON.stringify(result)}`);
      return { firstAudibleMs, leadingMs, audioMs: (samplesSoFar / sampleRate) * 1000 };
    },
    close,
  };
}
