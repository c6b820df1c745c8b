import { createInterface } from "node:readline";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { samplesToBytes } from "#common/audio/pcm";
import { neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { Phonemizer } from "#workers/engines/espeak/phonemizer";
import { ModelThreads } from "#workers/engines/model-threads";
import { OnnxEngine } from "#workers/engines/onnx/engine";
import { SessionPool } from "#workers/engines/onnx/session-pool";
import { readModelFolder } from "#workers/repository/folder";
import { voiceFolder } from "./symbols.js";
import { FIRST_SOUND_MS, type SpeakAnswer, type SpeakQuestion } from "./way.js";

/** A worker's engine with one thread and no cluster around it: answers lines of JSON. */
const log = createLogger("bench", "warn");
const phonemizer = new Phonemizer({ log, clock: systemClock });
const pool = new SessionPool(new ModelThreads(1));
const engine = await OnnxEngine.load({ model: await readModelFolder(voiceFolder), pool, phonemizer, providers: ["cpu"], log });
await engine.warmUp();
const { sampleRate } = engine.describe();

const answer = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
answer({ ready: true });
for await (const line of createInterface({ input: process.stdin })) answer(await speak(JSON.parse(line) as SpeakQuestion));
process.exit(0);

async function speak({ text, keep }: SpeakQuestion): Promise<SpeakAnswer> {
  const pieces: Uint8Array[] = [];
  let samplesSoFar = 0;
  let firstMs = Number.NaN;
  const startMs = performance.now();
  const [result] = await engine.speak([
    {
      chunk: chunkOf(text),
      signal: new AbortController().signal,
      emit: ({ samples }) => {
        samplesSoFar += samples.length;
        if (Number.isNaN(firstMs) && samplesSoFar * 1000 >= FIRST_SOUND_MS * sampleRate) firstMs = performance.now() - startMs;
        if (keep) pieces.push(samplesToBytes(samples).slice());
      },
    },
  ]);
  const totalMs = performance.now() - startMs;
  if (result?.result !== "spoken") throw new Error(`the engine did not speak: ${JSON.stringify(result)}`);
  const sound = keep ? Buffer.concat(pieces).toString("base64") : null;
  return { firstMs, totalMs, soundMs: (samplesSoFar / sampleRate) * 1000, sound };
}

/** What the edge makes of the text with the request's defaults. */
function chunkOf(text: string): SpeechChunk {
  return {
    task: "speak",
    streamId: "bench",
    chunkIndex: 0,
    attempt: 1,
    edgeId: "bench",
    model: "parley-en",
    text,
    normalize: true,
    voice: { speaker: null, language: null, speed: 1, traits: null },
    delivery: neutralDelivery,
    pauseAfterMs: 0,
    seed: 1,
    maxSamples: 0,
    traceparent: null,
  };
}
