/**
 * Parley's own front end for the training of the voice's prosody: the symbols of each text and the columns that the
 * prosody graph gets for them, by the code that speaks. Run it in a checkout after `npx tsc -b`:
 *
 *     node front-end.mjs MODEL_FOLDER < texts > lines
 *
 * `texts` has a line `ID TAB TEXT` each; the folder has `lexicon.bin` and `prosody.json`, for its list of words. Writes a line of JSON
 * each: `{ id, symbols: [...], rows: [...] }`, a row of columns per symbol, null for stress marks.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EnglishFrontEnd } from "../../../dist/workers/text/pronunciation/front-end.js";
import { prosodyFeatures } from "../../../dist/workers/text/pronunciation/prosody-features.js";
import { spokenText } from "../../../dist/workers/text/spoken-text.js";

const [folder] = process.argv.slice(2);
const frontEnd = EnglishFrontEnd.load(join(folder, "lexicon.bin"));
const common = JSON.parse(readFileSync(join(folder, "prosody.json"), "utf8")).words;
const words = new Map(common.map((word, i) => [word, i + 1]));
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue;
  const [id, source] = line.split("\t");
  const { text } = spokenText({ text: source, normalize: true, voice: { language: "en" } });
  const { tokens, symbols } = frontEnd.read(text, () => false);
  const rows = prosodyFeatures(text, tokens, symbols, words);
  process.stdout.write(`${JSON.stringify({ id, symbols: symbols.map(({ symbol }) => symbol), rows })}\n`);
}
