import { describe, expect, it } from "vitest";
import { chooseToken, type TokenRules } from "./token-choice.js";

/** Ten tokens of text, the end, a steering one, and timestamps from 12 on. */
const rules: TokenRules = {
  endOfText: 10,
  firstTimestamp: 12,
  steering: [11],
  suppressed: [4],
  suppressedAtBegin: [10],
  maxInitialTimestamp: 3,
};
const TOKENS = 30;

/** What is chosen where these tokens are likely, the first the most. */
function chosen(text: readonly number[], ...likely: number[]): number {
  const scores = new Float32Array(TOKENS).fill(-20);
  for (const [i, id] of likely.entries()) scores[id] = 20 - 5 * i;
  return chooseToken(scores, text, rules).id;
}

describe("the choice of the next token", () => {
  it("begins with a timestamp of the first moments", () => {
    expect(chosen([], 3, 20, 14)).toBe(14);
    expect(chosen([], 10, 11, 15)).toBe(15);
  });

  it("has text after the first timestamp and after a pair", () => {
    expect(chosen([12], 13, 5)).toBe(5);
    expect(chosen([12, 5, 16, 16], 20, 6)).toBe(6);
    expect(chosen([12, 5, 16, 16], 20, 10)).toBe(10);
  });

  it("has after the end of a phrase the begin of another, not before it, or the end of the text", () => {
    expect(chosen([12, 5, 16], 5, 16)).toBe(16);
    expect(chosen([12, 5, 16], 15, 18)).toBe(18);
    expect(chosen([12, 5, 16], 5, 10)).toBe(10);
  });

  it("never goes back, and ends no phrase where it began", () => {
    expect(chosen([14, 5], 13, 14, 17)).toBe(17);
  });

  it("takes no steering or suppressed token", () => {
    expect(chosen([12], 11, 4, 7)).toBe(7);
  });

  it("takes a timestamp where all together are likelier than any text", () => {
    const scores = new Float32Array(TOKENS).fill(-20);
    scores[5] = 2;
    scores.fill(0, 15, 30);
    expect(chooseToken(scores, [12, 6], rules).id).toBe(15);
    scores.fill(-20).fill(0, 15, 17)[5] = 2;
    expect(chooseToken(scores, [12, 6], rules)).toMatchObject({
      id: 5,
      logProbability: expect.closeTo(Math.log(Math.exp(2) / (Math.exp(2) + 2)), 4) as number,
    });
  });

  it("ends where nothing is allowed", () => {
    expect(chooseToken(new Float32Array(TOKENS).fill(Number.NEGATIVE_INFINITY), [12, 5], rules).id).toBe(10);
  });
});
