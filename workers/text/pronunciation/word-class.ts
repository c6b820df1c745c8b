/** The words around a homograph, lower case; empty where the phrase ends. */
export interface Neighbours {
  beforeThat: string;
  before: string;
  after: string;
  /** Whether the word is written with a capital that is not its sentence's. */
  capital: boolean;
  /** Whether the sentence names a past time. */
  past: boolean;
}

const wordsBeforeVerbs = new Set(
  (
    "to will would can could shall should may might must cannot can't won't don't doesn't didn't couldn't wouldn't shouldn't i you we they who " +
    "please let let's not never always also often i'll you'll we'll they'll he'll she'll it'll i'd you'd we'd they'd do " +
    "did does us helps help and then"
  ).split(" "),
);
const wordsBeforeNouns = new Set(
  (
    "the a an this that my your his her its our their these those no any some each every of in on for with from at by about as new first second " +
    "last next good bad great old big small long short best whole single world more much many other another what which same own daily annual total " +
    "main key into under over after before without per via one two three four five six several few most all both such is was"
  ).split(" "),
);
const adverb = /^[a-z]{2,}ly$/;
const articles = new Set("the a an my your his her its our their this that these those it them him me us".split(" "));

/** Whether the words before (or an object after) ask for a verb. */
export function saysVerb({ before, beforeThat, after }: Neighbours): boolean {
  if (before === "and" || before === "then") return articles.has(after);
  if (adverb.test(before)) return wordsBeforeVerbs.has(beforeThat);
  if (before === "") return articles.has(after);
  return wordsBeforeVerbs.has(before);
}

/** Whether the words before ask for a noun or an adjective. */
export function saysNoun({ before, beforeThat }: Neighbours): boolean {
  if (adverb.test(before)) return wordsBeforeNouns.has(beforeThat);
  return wordsBeforeNouns.has(before) || before.endsWith("'s");
}
