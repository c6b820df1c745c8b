// The decoder that ships with Parley, for evaluation: node search.mjs WORDS EMISSIONS < settings as JSON lines > texts as JSON lines.
// EMISSIONS: for each utterance uint32 frames, uint32 symbols, then frames x symbols float32 log probabilities. Needs Parley built.
import { readFileSync } from "node:fs";
import { createLexiconDecoder } from "../../../dist/workers/listening/decoding/lexicon-words.js";
import { readWordsFile } from "../../../dist/workers/listening/decoding/words-file.js";

const [wordsPath, emissionsPath] = process.argv.slice(2);
const words = readWordsFile(readFileSync(wordsPath));
const bytes = readFileSync(emissionsPath);
const utterances = [];
for (let at = 0; at < bytes.length; ) {
  const frames = bytes.readUInt32LE(at);
  const symbols = bytes.readUInt32LE(at + 4);
  const size = 4 * frames * symbols;
  utterances.push({ frames, symbols, values: new Float32Array(Uint8Array.from(bytes.subarray(at + 8, at + 8 + size)).buffer) });
  at += 8 + size;
}
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const decode = createLexiconDecoder(words, utterances[0].symbols, { ...JSON.parse(line), blank: 0 });
  const texts = utterances.map((utterance) => decode(utterance, () => false).map((word) => word.text).join(" "));
  process.stdout.write(`${JSON.stringify(texts)}\n`);
}
