import { createInterface } from "node:readline";
import { samplesToBytes } from "#audio/pcm";
import { chunkOf, loadVoiceEngine, withoutProsody } from "../../voice-engine.js";
import { FIRST_AUDIO_MS, type SpeakAnswer, type SpeakQuestion } from "./way.js";

/** A worker's engine with one thread and no cluster around it: answers lines of JSON. */
const { engine } = await loadVoiceEngine();
const { sampleRate } = engine.describe();
/** Says what other programs say, which load no prosody: for comparing. */
const { engine: plain } = await loadVoiceEngine(["cpu"], withoutProsody);

const answer = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
answer({ ready: true });
for await (const line of createInterface({ input: process.stdin }))
  answer(await speak(JSON.parse(line) as SpeakQuestion));
process.exit(0);

async function speak({ text, keep }: SpeakQuestion): Promise<SpeakAnswer> {
  const pieces: Uint8Array[] = [];
  let samplesSoFar = 0;
  let firstMs = Number.NaN;
  const startMs = performance.now();
  const [result] = await (keep ? plain : engine).speak([
    {
      chunk: chunkOf(text),
      signal: new AbortController().signal,
      emit: ({ samples }) => {
        samplesSoFar += samples.length;
        if (Number.isNaN(firstMs) && samplesSoFar * 1000 >= FIRST_AUDIO_MS * sampleRate)
          firstMs = performance.now() - startMs;
        if (keep) pieces.push(samplesToBytes(samples).slice());
      },
    },
  ]);
  const totalMs = performance.now() - startMs;
  if (result?.result !== "spoken") throw new Error(`the engine did not speak: ${JSON.stringify(result)}`);
  const audio = keep ? Buffer.concat(pieces).toString("base64") : null;
  return { firstMs, totalMs, audioMs: (samplesSoFar / sampleRate) * 1000, audio };
}
