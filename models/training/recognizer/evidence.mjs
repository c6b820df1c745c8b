// What the shipped search finds and what speaks for each word, for fit_confidence.py: node evidence.mjs WORDS EMISSIONS
// < settings as JSON. Prints a JSON line for each utterance: its words with their evidence. EMISSIONS as in search.mjs.
// Needs Parley built.
import { readFileSync } from "node:fs";
import { createWordSearch } from "../../../dist/workers/recognition/decoding/beam-search.js";
import { wordConfidences, wordEvidence } from "../../../dist/workers/recognition/decoding/confidence.js";
import { createLanguageModel } from "../../../dist/workers/recognition/decoding/language-model.js";
import { buildLexicon } from "../../../dist/workers/recognition/decoding/lexicon.js";
import { traitsOfWords } from "../../../dist/workers/recognition/decoding/lexicon-words.js";
import { readWordsFile } from "../../../dist/workers/recognition/decoding/words-file.js";
import { readEmissions } from "./emissions.mjs";

const [wordsPath, emissionsPath] = process.argv.slice(2);
const file = readWordsFile(readFileSync(wordsPath));
const model = createLanguageModel(file);
const lexicon = buildLexicon(file, (word) => model.unigram(word));
const search = createWordSearch(lexicon, model, { ...JSON.parse(readFileSync(0, "utf8")), blank: 0 });
const traitsOf = traitsOfWords(file, model);
for (const emissions of readEmissions(emissionsPath)) {
  const found = search(emissions, () => false);
  const evidence = wordEvidence(found, traitsOf);
  const confidences = wordConfidences(found, traitsOf);
  const line = found.map(({ word }, i) => ({ text: file.words[word], confidence: confidences[i], ...evidence[i] }));
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
