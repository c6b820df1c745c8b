import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { loadEngines } from "#workers/engines/load";
import type { Recognizer } from "#workers/engines/recognizer";
import { recognitionJob, wordsOf } from "#workers/engines/testing/recognize";
import { embeddedModels } from "#workers/repository/embedded";
import { openRepository } from "#workers/repository/repository";
import { readEvaluation } from "../turn/recordings.js";
import { addErrors, noErrors, rate, wordErrors } from "../turn/word-errors.js";
import { embeddedVoices } from "./voices.js";
import { productNames, sentencesWith, sentencesWithoutNames } from "./words.js";

/*
 * `npm run bench:keyterms -- DATA [verbose]`: what a list of twenty words changes in recordings of people that hold none of them,
 * in recordings that do hold rare words of a list, and in sentences of the embedded voices with and without the words.
 */
const [data = "", isVerbose] = process.argv.slice(2);

interface Clip {
  text: string;
  samples: Int16Array;
}

const models = await openRepository([embeddedModels], ["parley-asr-en", "parley-en", "espeak"]);
const log = createLogger("bench", "silent");
const loaded = await loadEngines(models, { slots: 1, providers: ["cpu"], log, clock: systemClock });
const recognizer = loaded.recognizers.get("parley-asr-en") as Recognizer;

const recordings = await readEvaluation(data);
for (const isRead of [false, true]) {
  const clips = recordings.filter(({ corpus }) => (corpus === "ljspeech") === isRead);
  const name = isRead ? "LJSpeech, held-out" : "people never heard";
  await compare(`${name}, list of words that nobody says`, clips, productNames);
  const rare = rareWords(clips.map(({ text }) => text));
  for (let at = 0; at < rare.length; at += 20)
    await compare(`${name}, list of words that are said`, clips, rare.slice(at, at + 20));
}
for (const { name, speak } of embeddedVoices(loaded.engines)) {
  const spoken = async (texts: readonly string[]): Promise<Clip[]> => {
    const clips: Clip[] = [];
    for (const text of texts) clips.push({ text, samples: await speak(text) });
    return clips;
  };
  await compare(`${name}, with names`, await spoken(productNames.flatMap(sentencesWith)), productNames);
  await compare(`${name}, near to names`, await spoken(sentencesWithoutNames), productNames);
}
await loaded.close();

/** Prints the word errors without and with a list, and how many of its words that are said are found. */
async function compare(name: string, clips: readonly Clip[], list: readonly string[]): Promise<void> {
  const [before, after] = [await measure(clips, []), await measure(clips, list)];
  const isListed = (word: string): boolean => list.some((listed) => listed.toLowerCase() === word);
  const found = ({ heard }: typeof before): [right: number, wrong: number] => {
    let [right, wrong] = [0, 0];
    for (const [i, { text }] of clips.entries()) {
      const said = wordsIn(text).filter(isListed);
      const given = wordsIn(heard[i] ?? "").filter(isListed);
      const both = said.filter((word) => given.includes(word)).length;
      right += both;
      wrong += given.length - both;
    }
    return [right, wrong];
  };
  const said = clips.flatMap(({ text }) => wordsIn(text).filter(isListed)).length;
  const errors = (figures: typeof before): string => `${rate(figures.errors).toFixed(1)} %`;
  const [[rightBefore, wrongBefore], [rightAfter, wrongAfter]] = [found(before), found(after)];
  console.log(
    `${name}: ${clips.length} clips, ${before.errors.words} words; word errors ${errors(before)} without the list, ${errors(after)} with it;` +
      ` of ${said} listed words ${rightBefore} found without it, ${rightAfter} with it; wrongly found ${wrongBefore} and ${wrongAfter}`,
  );
  if (!isVerbose) return;
  for (const [i, { text }] of clips.entries())
    if (before.heard[i] !== after.heard[i]) console.log(`  ${text}\n  - ${before.heard[i]}\n  + ${after.heard[i]}`);
}

async function measure(
  clips: readonly Clip[],
  keyterms: readonly string[],
): Promise<{ errors: ReturnType<typeof noErrors>; heard: string[] }> {
  let errors = noErrors();
  const heard: string[] = [];
  for (const { text, samples } of clips) {
    const [result] = await recognizer.recognize([recognitionJob("transcribe", samples, { keyterms })]);
    if (result === undefined) throw new RangeError("a job without a result");
    const recognized = wordsOf(result)
      .map((word) => word.text)
      .join(" ");
    errors = addErrors(errors, wordErrors(text, recognized));
    heard.push(recognized);
  }
  return { errors, heard };
}

/** Words of at least seven letters that are said once in all of it. */
function rareWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of texts.flatMap(wordsIn)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].filter(([word, count]) => count === 1 && word.length >= 7).map(([word]) => word);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}
