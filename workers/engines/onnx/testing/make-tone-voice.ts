import { writeToneVoice } from "./tone-voice.js";

/**
 * `node dist/workers/engines/onnx/testing/make-tone-voice.js <folder> [name]` writes the test voice where you want it.
 */
const [folder, name = "tone"] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: make-tone-voice <folder> [name]\n");
  process.exit(2);
}
const { graph, voice } = writeToneVoice(folder, name);
process.stdout.write(`${graph}\n${voice}\n`);
