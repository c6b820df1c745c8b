import type { ConversationsScenario } from "../scenarios.js";

/** More than a run may ask for would take too long. */
const MOST = 64;

/**
 * The scenario as the command line wants it: `--counts=1,4`, `--interjections=12` (0 leaves them out), `--no-peer`.
 * Throws RangeError for what is no number.
 */
export function withOptions(scenario: ConversationsScenario, words: readonly string[]): ConversationsScenario {
  const given = (name: string): string | undefined =>
    words.findLast((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [counts, interjections] = [given("counts"), given("interjections")];
  return {
    ...scenario,
    counts: counts === undefined ? scenario.counts : counts.split(",").map((word) => numberOf("counts", word, 1)),
    interjections: interjections === undefined ? scenario.interjections : numberOf("interjections", interjections, 0),
    hasPeer: scenario.hasPeer && !words.includes("--no-peer"),
  };
}

function numberOf(name: string, word: string, least: number): number {
  const number = word === "" ? Number.NaN : Number(word);
  if (Number.isInteger(number) && number >= least && number <= MOST) return number;
  throw new RangeError(`--${name} wants whole numbers from ${least} to ${MOST}, not "${word}"`);
}
