/**
 * Lets a model in Parley's engine for voices (Piper's and Kokoro's layouts) read texts, to teach a speaker of our own. Run it in a checkout after
 * `npx tsc -b`, once for each core, with PART 0/2 and 1/2:
 *
 *     node teacher.mjs MODEL_FOLDER SPEAKER TEXTS OUT [PART]
 *
 * TEXTS is the table of teacher_texts.py. Writes OUT/ID.wav of each; what is there already stays.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { samplesToBytes } from "../../../dist/audio/pcm.js";
import { wavHeader } from "../../../dist/audio/encoding/pcm-codec.js";
import { systemClock } from "../../../dist/common/clock.js";
import { createLogger } from "../../../dist/common/log.js";
import { Phonemizer } from "../../../dist/workers/engines/espeak/phonemizer.js";
import { ModelThreads } from "../../../dist/workers/engines/model-threads.js";
import { OnnxEngine } from "../../../dist/workers/engines/onnx/engine.js";
import { SessionPool } from "../../../dist/workers/engines/onnx/session-pool.js";
import { speakOne, testChunk } from "../../../dist/workers/engines/testing/speak.js";
import { readModelFolder } from "../../../dist/workers/repository/folder.js";

const [folder, speaker, texts, out, share = "0/1"] = process.argv.slice(2);
const [part, parts] = share.split("/").map(Number);
mkdirSync(out, { recursive: true });
const log = createLogger("teacher", "warn");
const threads = new ModelThreads(1);
const phonemizer = new Phonemizer({ log, clock: systemClock });
const model = await readModelFolder(folder);
const engine = await OnnxEngine.load({ model, pool: new SessionPool(threads), phonemizer, providers: ["cpu"], log });
const { sampleRate } = engine.describe();
const rows = readFileSync(texts, "utf8").trimEnd().split("\n");
for (const [id, , text] of rows.filter((_, i) => i % parts === part).map((row) => row.split("\t"))) {
  const path = join(out, `${id}.wav`);
  if (existsSync(path)) continue;
  const { result, samples } = await speakOne(engine, testChunk(text, { normalize: true, voice: { speaker, language: "en" } }));
  if (result.result !== "spoken") throw new Error(`${id} was not spoken: ${String(result.error ?? result.result)}`);
  writeFileSync(`${path}.part`, Buffer.concat([wavHeader(sampleRate), samplesToBytes(samples)]));
  renameSync(`${path}.part`, path);
}
await Promise.all([engine.close(), threads.close(), phonemizer.close()]);
