import type { KnowledgePassage } from "#protocol/bus/conversation";
import { termsOf } from "#common/text/terms";
import { sentencesOf } from "./sentences.js";

/** Sentences of a source that answer a question. */
export interface FoundSentences {
  sourceName: string;
  /** In the order in which the source has them. */
  sentences: string[];
}

const MAX_SENTENCES = 3;
/** Of all sentences together, in UTF-16 units: some twenty seconds of speech. */
const MAX_CHARACTERS = 400;
/** A further sentence is said where it has at least so much of the best one's score. */
const FURTHER_SHARE = 0.5;
/** The share of the question's terms that a sentence, its heading and its source's name must have between them. */
const MIN_COVERAGE = 0.5;
/** The same in scripts without spaces, where every ending makes further pairs of characters. */
const MIN_DENSE_COVERAGE = 0.3;
/** Of Okapi BM25, as in the search that found the passages. */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.5;
/** A term in the heading says that the sentence is about it, as much as half a mention. */
const HEADING_WEIGHT = 0.5;

const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Words of conversation, which say nothing about what is asked. */
const smallTalk = new Set(
  termsOf(
    "please tell say know want need like hello hi hey ok okay yes question think maybe well thank thanks " +
      "bitte sagen sage mochte wissen hallo ja frage danke gibt haben hast " +
      "plait voudrais veux savoir dire bonjour oui merci avez question " +
      "favor quiero quisiera saber decir hola si puede puedo gracias tiene tienen",
  ),
);

interface Candidate {
  passage: KnowledgePassage;
  sentence: string;
  /** Its place in the passage. */
  position: number;
  terms: string[];
  headingTerms: ReadonlySet<string>;
}

/**
 * The sentences of the passages that answer a question best, ranked by BM25 among all sentences of them: the best one,
 * and of its passage those that come near it. Null where none shares enough with the question to be an answer. Pure.
 */
export function bestSentences(
  question: string,
  passages: readonly KnowledgePassage[],
  language: string,
): FoundSentences | null {
  const asked = [...new Set(termsOf(question))].filter((term) => !smallTalk.has(term));
  if (asked.length === 0) return null;
  const candidates = passages.flatMap((passage) => candidatesOf(passage, language));
  const score = scorer(asked, candidates);
  const ranked = candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter(({ candidate, score: points }) => points > 0 && isCovered(asked, candidate, question))
    .sort((a, b) => b.score - a.score);
  const [best] = ranked;
  if (best === undefined) return null;
  const near = ranked.filter(
    ({ candidate, score: points }) =>
      candidate.passage === best.candidate.passage && points >= best.score * FURTHER_SHARE,
  );
  return { sourceName: best.candidate.passage.sourceName, sentences: inOrder(near.map(({ candidate }) => candidate)) };
}

/** A question in a document belongs to the sentence after it, which answers it, and is not said itself. */
function candidatesOf(passage: KnowledgePassage, language: string): Candidate[] {
  const headingTerms = new Set(termsOf(`${passage.sourceName} ${passage.heading}`));
  const candidates: Candidate[] = [];
  let askedBefore: string[] = [];
  for (const [position, sentence] of sentencesOf(passage.content, language).entries()) {
    if (sentence === passage.heading) continue;
    const terms = [...askedBefore, ...termsOf(sentence)];
    const isQuestion = /[?？]["'”»」]?$/.test(sentence);
    askedBefore = isQuestion ? terms : [];
    if (!isQuestion) candidates.push({ passage, sentence, position, terms, headingTerms });
  }
  return candidates;
}

function scorer(asked: readonly string[], candidates: readonly Candidate[]): (candidate: Candidate) => number {
  const meanLength = Math.max(1, candidates.reduce((sum, { terms }) => sum + terms.length, 0) / candidates.length);
  const rarity = new Map(
    asked.map((term) => {
      const having = candidates.filter(({ terms }) => terms.includes(term)).length;
      return [term, Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5))];
    }),
  );
  return ({ terms, headingTerms }) => {
    const norm = SATURATION * (1 - LENGTH_PENALTY + (LENGTH_PENALTY * terms.length) / meanLength);
    return asked.reduce((sum, term) => {
      const mentions = terms.filter((one) => one === term).length;
      const frequency = mentions + (headingTerms.has(term) ? HEADING_WEIGHT : 0);
      return sum + ((rarity.get(term) ?? 0) * frequency * (SATURATION + 1)) / (frequency + norm);
    }, 0);
  };
}

function isCovered(asked: readonly string[], { terms, headingTerms }: Candidate, question: string): boolean {
  const found = asked.filter((term) => terms.includes(term) || headingTerms.has(term)).length;
  return found / asked.length >= (dense.test(question) ? MIN_DENSE_COVERAGE : MIN_COVERAGE);
}

/** The first few of the ranked ones, as the passage has them. */
function inOrder(ranked: readonly Candidate[]): string[] {
  const chosen: Candidate[] = [];
  let characters = 0;
  for (const candidate of ranked) {
    characters += candidate.sentence.length;
    if (chosen.length === MAX_SENTENCES || (chosen.length > 0 && characters > MAX_CHARACTERS)) break;
    chosen.push(candidate);
  }
  return chosen.sort((a, b) => a.position - b.position).map(({ sentence }) => sentence);
}
