// `npm run test:voices`: voices that people have in Parley's engine, with their own weights: brought, added as a user adds
// them, spoken, and given to a recognizer that is not ours. Arguments are speakers of Kokoro.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { samplesToBytes } from "#audio/pcm";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { Phonemizer } from "#workers/engines/espeak/phonemizer";
import { ModelThreads } from "#workers/engines/model-threads";
import { OnnxEngine } from "#workers/engines/onnx/engine";
import { SessionPool } from "#workers/engines/onnx/session-pool";
import { everydaySentences } from "#workers/engines/testing/everyday-sentences";
import { speakOne, testChunk } from "#workers/engines/testing/speak";
import { readModelFolder } from "#workers/repository/folder";
import { runCommandLine } from "../../cli/main.js";
import { recognize, wordErrors } from "../harness/recognizer.js";
import { root } from "../structure/sources.js";
import { ensureVoices } from "./weights.js";

const usualSpeakers = ["af_heart", "am_michael"];
/** They have 8 to 16 %; what says something else has over 85. The recognizer knows American English only. */
const HIGHEST_WORD_ERROR_RATE = 0.2;

/** Adds the folder as `parley models add` does, which speaks a sentence with it. Whether that works. */
async function isAdded(folder: string, dataDirectory: string): Promise<boolean> {
  const code = await runCommandLine(["models", "add", folder, "--link"], {
    environment: { PATH: process.env.PATH, PARLEY_DATA_DIR: dataDirectory },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    distDirectory: join(import.meta.dirname, "../.."),
  });
  return code === 0;
}

async function loadVoice(folder: string): Promise<{ engine: OnnxEngine; close(): Promise<void> }> {
  const log = createLogger("test", "warn");
  const threads = new ModelThreads(1);
  const phonemizer = new Phonemizer({ log, clock: systemClock });
  const model = await readModelFolder(folder);
  const engine = await OnnxEngine.load({ model, pool: new SessionPool(threads), phonemizer, providers: ["cpu"], log });
  await engine.warmUp();
  return {
    engine,
    close: async () => {
      await Promise.all([engine.close(), threads.close(), phonemizer.close()]);
    },
  };
}

/** Speaks everyday sentences; prints how many words were recognized otherwise, and gives their share. */
async function wordErrorRate(engine: OnnxEngine, speaker: string | null): Promise<number> {
  let [errors, words, seconds, spentMs] = [0, 0, 0, 0];
  for (const text of everydaySentences) {
    const before = process.cpuUsage();
    const { samples } = await speakOne(engine, testChunk(text, { voice: { speaker } }));
    const { user, system } = process.cpuUsage(before);
    spentMs += (user + system) / 1000;
    const rate = engine.describe().sampleRate;
    seconds += samples.length / rate;
    const found = await recognize(samplesToBytes(samples), ["-f", "s16le", "-ar", String(rate), "-ac", "1"]);
    const own = wordErrors(text, found);
    errors += own.errors;
    words += own.words;
  }
  console.log(
    `${speaker ?? engine.describe().name}: ${errors} of ${words} words wrong (${((100 * errors) / words).toFixed(1)} %), ${seconds.toFixed(1)} s of speech, ` +
      `${(spentMs / 1000 / seconds).toFixed(2)} s of processor time for each`,
  );
  return errors / words;
}

/** Whether a folder can be added, and its speakers are understood; null is the voice's only one. */
async function isUnderstood(folder: string, speakers: readonly (string | null)[]): Promise<boolean> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "parley-voices-"));
  try {
    if (!(await isAdded(folder, dataDirectory))) return false;
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
  const { engine, close } = await loadVoice(folder);
  const rates: number[] = [];
  for (const speaker of speakers) rates.push(await wordErrorRate(engine, speaker));
  await close();
  return rates.every((rate) => rate <= HIGHEST_WORD_ERROR_RATE);
}

async function main(speakers: readonly string[]): Promise<number> {
  const { kokoro, piper } = ensureVoices(
    join(root, "node_modules/.cache/voices"),
    join(root, "test/voices/requirements.txt"),
  );
  const understood = [await isUnderstood(piper, [null]), await isUnderstood(kokoro, speakers)];
  return understood.every(Boolean) ? 0 : 1;
}

const asked = process.argv.slice(2);
process.exitCode = await main(asked.length > 0 ? asked : usualSpeakers);
