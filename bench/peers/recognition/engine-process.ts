import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bytesToSamples } from "#audio/pcm";
import { createLogger } from "#common/log";
import { CtcEngine } from "#workers/engines/ctc/engine";
import { ModelThreads } from "#workers/engines/model-threads";
import { recognizeOne, wordsOf } from "#workers/engines/testing/recognize";
import { readModelFolder } from "#workers/repository/folder";
import type { RecognizeAnswer, RecognizeQuestion } from "./recognizer-client.js";

/** A worker's recognizer with one thread and no cluster around it: answers lines of JSON. */
const engine = await CtcEngine.load({
  model: await readModelFolder(join(import.meta.dirname, "../../../../models/parley-asr-en")),
  threads: new ModelThreads(1),
  providers: ["cpu"],
  log: createLogger("bench", "silent"),
});

const answer = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
answer({ ready: true });
for await (const line of createInterface({ input: process.stdin }))
  answer(await recognize(JSON.parse(line) as RecognizeQuestion));
process.exit(0);

async function recognize({ path }: RecognizeQuestion): Promise<RecognizeAnswer> {
  const samples = bytesToSamples(readFileSync(path));
  const startMs = performance.now();
  const words = wordsOf(await recognizeOne(engine, samples));
  const totalMs = performance.now() - startMs;
  return { text: words.map(({ text }) => text).join(" "), totalMs, afterEndMs: totalMs };
}
