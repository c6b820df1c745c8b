import type { PauseMark, SpokenToken } from "./tokens.js";

/** Which of two marks that meet is kept. */
const strength: readonly PauseMark[] = ["|", ",", ":", ";", ".", "!", "?"];
const sentenceEnds: readonly PauseMark[] = [".", "!", "?", ";"];

const questionWords = new Set(
  "what which who whom whose when where why how what's who's where's when's how's what're".split(" "),
);
/** May stand before a question word without changing what is asked. */
const introductions = new Set(
  "and but so or then well now oh ok okay hey yes no to in for from at on with by of about since until".split(" "),
);

/** Longest run of words without a pause, where a clause begins in it; a reader would take breath. */
const LONGEST_RUN = 11;
/**
 * Longest run without a pause where only phrases begin in it. The reader of the default voice's recordings pauses before
 * a clause in a long run one time in three, before a phrase one time in ten.
 */
const LONGEST_CLAUSE = 18;
const SHORTEST_PART = 4;
/** And "by", before which that reader pauses as often. */
const clauseOpeners = new Set(
  "and but or because which who that when while where if though although unless until since whereas so than whether whose whom as by".split(
    " ",
  ),
);
const phraseOpeners = new Set(
  "with from for in on at to into through during before after about between under over without within against among".split(
    " ",
  ),
);

/**
 * Words and pauses as they will be spoken: one mark where several meet, none first, one last, breath in long runs,
 * questions by their kind.
 */
export function phrase(tokens: readonly SpokenToken[]): SpokenToken[] {
  return breathe(settleQuestions(joinPauses(tokens)));
}

export function endsSentence(token: SpokenToken): boolean {
  return token.kind === "pause" && sentenceEnds.includes(token.mark);
}

function isStronger(mark: PauseMark, other: PauseMark): boolean {
  return strength.indexOf(mark) > strength.indexOf(other);
}

function joinPauses(tokens: readonly SpokenToken[]): SpokenToken[] {
  const joined: SpokenToken[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.kind === "word" || (last !== undefined && last.kind === "word")) joined.push(token);
    else if (last?.kind === "pause" && isStronger(token.mark, last.mark))
      joined[joined.length - 1] = { ...last, mark: token.mark };
  }
  const last = joined.at(-1);
  if (last?.kind === "word")
    joined.push({ kind: "pause", mark: ".", range: { start: last.range.end, end: last.range.end } });
  return joined;
}

/** The voice lets `?` rise: questions that ask for a yes or no. Those with a question word fall as statements do. */
function settleQuestions(tokens: SpokenToken[]): SpokenToken[] {
  let from = 0;
  return tokens.map((token, at) => {
    if (!endsSentence(token)) return token;
    const words = tokens
      .slice(from, at)
      .flatMap((candidate) => (candidate.kind === "word" ? [candidate.text.toLowerCase()] : []));
    const lastPause = tokens.slice(from, at).findLastIndex((candidate) => candidate.kind === "pause");
    const tag = lastPause < 0 ? [] : words.slice(words.length - (at - from - lastPause - 1));
    from = at + 1;
    if (token.kind !== "pause" || token.mark !== "?") return token;
    const first = words.findIndex((word) => !introductions.has(word));
    const asksWhat = first >= 0 && first <= 2 && questionWords.has(words[first] ?? "");
    // "What a day, isn't it?" and "Who, me?" rise.
    const endsInTag = tag.length > 0 && tag.length <= 3 && !questionWords.has(tag[0] ?? "");
    return asksWhat && !endsInTag ? { ...token, mark: "." as const } : token;
  });
}

function breathe(tokens: readonly SpokenToken[]): SpokenToken[] {
  const out: SpokenToken[] = [];
  let run: Extract<SpokenToken, { kind: "word" }>[] = [];
  for (const token of tokens) {
    if (token.kind === "word") run.push(token);
    else {
      out.push(...divide(run), token);
      run = [];
    }
  }
  return [...out, ...divide(run)];
}

type Word = Extract<SpokenToken, { kind: "word" }>;

/**
 * Puts pauses into a long run of words, each before the word that opens a clause, in a very long one a phrase, and is
 * nearest to the middle.
 */
function divide(run: readonly Word[]): SpokenToken[] {
  const at = run.length > LONGEST_RUN ? bestCut(run) : -1;
  const following = run[at];
  if (following === undefined) return [...run];
  const { start } = following.range;
  return [
    ...divide(run.slice(0, at)),
    { kind: "pause", mark: "|", range: { start, end: start } },
    ...divide(run.slice(at)),
  ];
}

function bestCut(run: readonly Word[]): number {
  let best = -1;
  let bestScore = 0;
  for (let at = SHORTEST_PART; at <= run.length - SHORTEST_PART; at++) {
    const word = run[at]?.text.toLowerCase() ?? "";
    const before = run[at - 1]?.text.toLowerCase() ?? "";
    const opens = clauseOpeners.has(word) ? 2 : run.length > LONGEST_CLAUSE && phraseOpeners.has(word) ? 1 : 0;
    if (opens === 0 || clauseOpeners.has(before) || phraseOpeners.has(before)) continue;
    const score = opens - Math.abs(at / run.length - 0.5) * 2;
    if (best < 0 || score > bestScore) [best, bestScore] = [at, score];
  }
  return best;
}
