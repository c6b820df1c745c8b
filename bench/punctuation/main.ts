import { mergeWords } from "#transcription/transcript";
import { punctuate } from "#transcription/punctuation/punctuate";
import { recognizeOne, wordsOf } from "#workers/engines/testing/recognize";
import { openEngines } from "../turn/engine-recognition.js";
import { readEvaluation } from "../turn/recordings.js";
import { alignedWords } from "./alignment.js";

/*
 * `npm run bench:punctuation -- DATA`: full stops, commas, question marks and capitals that the rules add to what is
 * recognized of people that no model was trained on, beside those of the sentences that they read.
 */
const [data = ""] = process.argv.slice(2);
const kinds = ["full stops", "commas", "question marks", "capitals"] as const;

/** Found and right, found and wrong, and missed. */
interface Counts {
  right: number;
  wrong: number;
  missed: number;
}

const engines = await openEngines();
const recordings = await readEvaluation(data);
for (const corpus of [...new Set(recordings.map((recording) => recording.corpus))]) {
  const clips = recordings.filter((recording) => recording.corpus === corpus);
  // Readers' sentences without marks say nothing about them.
  if (!clips.some(({ text }) => /[.,?]/.test(text))) continue;
  const counts = kinds.map((): Counts => ({ right: 0, wrong: 0, missed: 0 }));
  for (const { text, samples } of clips) {
    const words = mergeWords([{ startMs: 0, words: wordsOf(await recognizeOne(engines.recognizer, samples)) }]);
    const written = punctuate({ words, language: "en", begins: true, ends: true }).map((word) => word.text);
    for (const [said, found] of alignedWords(readWords(text), written)) {
      const [of, given] = [traits(said), traits(found)];
      for (const [kind, count] of counts.entries()) {
        if (given[kind] === true) count[of[kind] === true ? "right" : "wrong"]++;
        else if (of[kind] === true) count.missed++;
      }
    }
  }
  console.log(`${corpus}, ${clips.length} clips: ${kinds.map((kind, i) => describe(kind, counts[i])).join("; ")}`);
}
await engines.close();

function describe(kind: string, { right, wrong, missed }: Counts = { right: 0, wrong: 0, missed: 0 }): string {
  const f1 = (200 * right) / Math.max(1, 2 * right + wrong + missed);
  return `${kind} F1 ${f1.toFixed(0)} (${right} right, ${wrong} wrong, ${missed} missed)`;
}

/** Words with the first mark after them; exclamations count as full stops, colons and semicolons as commas. */
function readWords(text: string): string[] {
  const plain = text.replaceAll("’", "'").replaceAll("!", ".").replace(/[;:]/g, ",");
  return plain.match(/[A-Za-z']+[.,?]?/g) ?? [];
}

function traits(word: string | null): boolean[] {
  if (word === null) return kinds.map(() => false);
  return [word.endsWith("."), word.endsWith(","), word.endsWith("?"), /^[A-Z]/.test(word)];
}
