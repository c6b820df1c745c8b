// The decoder that ships with Parley, for evaluation: node search.mjs WORDS EMISSIONS < settings as JSON lines > texts
// as JSON lines. EMISSIONS as in emissions.mjs; tokens.txt lies beside WORDS. Needs Parley built.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLexiconDecoder } from "../../../dist/workers/recognition/decoding/lexicon-words.js";
import { readTokens } from "../../../dist/workers/recognition/decoding/tokens.js";
import { readWordsFile } from "../../../dist/workers/recognition/decoding/words-file.js";
import { readEmissions } from "./emissions.mjs";

const [wordsPath, emissionsPath] = process.argv.slice(2);
const words = readWordsFile(readFileSync(wordsPath));
const tokens = readTokens(readFileSync(join(dirname(wordsPath), "tokens.txt"), "utf8"));
const utterances = readEmissions(emissionsPath);
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const decode = createLexiconDecoder(words, tokens.names, { ...JSON.parse(line), blank: 0 });
  const texts = utterances.map((utterance) => decode(utterance, () => false).map((word) => word.text).join(" "));
  process.stdout.write(`${JSON.stringify(texts)}\n`);
}
