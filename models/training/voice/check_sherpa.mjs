/**
 * Speaks a sentence of symbols with every speaker through sherpa-onnx: node check_sherpa.mjs MODEL_FOLDER OUT_FOLDER
 * [SYMBOLS] Run it where `npm i sherpa-onnx-node` was done; it is no dependency of Parley.
 */
import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const sherpa = require("sherpa-onnx-node");
const [folder, out, symbols = "ðə bˈɝʧ kənˈu slˈɪd ɑn ðə smˈuð plˈæŋks."] = process.argv.slice(2);
const config = JSON.parse(readFileSync(join(folder, "model.onnx.json"), "utf8"));
const tts = new sherpa.OfflineTts({
  model: { vits: { model: join(folder, "model.onnx"), tokens: join(folder, "tokens.txt") }, numThreads: 1, provider: "cpu" },
  maxNumSentences: 1,
  silenceScale: 1,
});
mkdirSync(out, { recursive: true });
console.log(`sherpa-onnx-node ${require("sherpa-onnx-node/package.json").version}: ${tts.numSpeakers} speakers, ${tts.sampleRate} Hz`);
for (const [name, sid] of Object.entries(config.speaker_id_map)) {
  const audio = tts.generate({ text: symbols, sid, speed: 1 });
  const peak = audio.samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  sherpa.writeWave(join(out, `sherpa-${name}.wav`), audio);
  console.log(`${name}: ${(audio.samples.length / audio.sampleRate).toFixed(2)} s, peak ${peak.toFixed(2)}`);
}
