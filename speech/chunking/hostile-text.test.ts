import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { Chunker } from "./chunker.js";
import { Cutter } from "./cutter.js";
import type { Latency, Pace } from "./pace.js";

/** Longest piece at a chunk length: twice of it, and the second half of a pair. */
const longestPiece = ({ chunkLength }: Pace): number => 2 * chunkLength + 2;
/** Longest text that may be held: a piece, or silence, or an unfinished tag behind either. */
const longestHeld = (pace: Pace): number => longestPiece(pace) + 260 + 90;
/** A character as people see it that is longer than this may be cut: twice the smallest limit of any piece. */
const MAX_WHOLE_CLUSTER = 100;

const paces = fc.record<Pace>({
  latency: fc.constantFrom<Latency>("low", "balanced", "normal"),
  chunkLength: fc.integer({ min: 100, max: 300 }),
  minChunkLength: fc.integer({ min: 0, max: 100 }),
});

/** Units of text that clusters are made of, and what stands between them. */
const units = [
  "a",
  "Z\u0337\u0321\u030e\u0334",
  "\u0301",
  "\u0316",
  "\u20dd",
  "\u0e33",
  "\u0e01\u0e48",
  "\u0915\u094d",
  "\u093f",
  "\u1100",
  "\u1161",
  "\u11a8",
  "\u{1f1e6}",
  "\u{1f468}\u200d",
  "\u{1f44d}\u{1f3fd}",
  "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}",
  "\u{e0067}",
  "\u200d",
  "\ufe0f",
  "\u845b\u{e0100}",
  "\u845b",
  "\u{20000}",
  "\u202e\u0627",
  "\u200f",
  "\u00ad",
  "\u0000",
  "\ud83d",
  "\udc00",
  "7",
  "。",
  "、\ufe00",
  "」",
  ".",
  '"',
  "\u034f",
  "か\u3099",
  "\u0600",
  "\u00a0",
  "\u1d165",
];
const spaces = [" ", "\n", "\n\n", "\u3000"];

const runs = (of: readonly string[], most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...of), fc.integer({ min: 1, max: most })), { maxLength: 12 })
    .map((parts) => parts.map(([unit, count]) => unit.repeat(count)).join(""));
const anyText = fc.oneof(
  runs([...units, ...spaces], 700),
  fc.string({ unit: "binary", maxLength: 2000 }),
  runs(["a", "\u0301", ". ", "b"], 2000),
);

/** Feeds a text in frames as a client's; gives the pieces and the longest text that was ever held. */
function feed(text: string, pace: Pace, frame = 977): { pieces: string[]; held: number } {
  const chunker = new Chunker({ pace, freeTags: true });
  const pieces: string[] = [];
  let held = 0;
  for (let at = 0; at < text.length; at += frame) {
    pieces.push(...chunker.push(text.slice(at, at + frame)).map((piece) => piece.text));
    held = Math.max(held, chunker.heldText.length);
  }
  pieces.push(...chunker.flush().map((piece) => piece.text));
  return { pieces, held };
}

/** How many characters the cutter looked at meanwhile. */
function stepsOf(work: () => void): number {
  const { step } = Cutter.prototype;
  let steps = 0;
  Cutter.prototype.step = function (...given) {
    steps++;
    return step.apply(this, given);
  };
  try {
    work();
  } finally {
    Cutter.prototype.step = step;
  }
  return steps;
}

const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Places where a text was cut inside a cluster that could have stayed whole. */
function brokenClusters(text: string, pieces: readonly string[]): number[] {
  const all = clusters.segment(text);
  let at = 0;
  return pieces.slice(0, -1).flatMap((piece) => {
    at += piece.length;
    const cluster = all.containing(at);
    return cluster === undefined || cluster.index === at || cluster.segment.length > MAX_WHOLE_CLUSTER ? [] : [at];
  });
}

describe("text of any characters", () => {
  it("makes pieces of a bounded length, and none is held for longer", () => {
    fc.assert(
      fc.property(anyText, paces, (text, pace) => {
        const { pieces, held } = feed(text, pace);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(longestPiece(pace));
        expect(held).toBeLessThanOrEqual(longestHeld(pace));
      }),
      { numRuns: howMany(300) },
    );
  });

  it("takes as many steps for a character of a long text as for one of a short text", () => {
    fc.assert(
      fc.property(anyText, paces, (text, pace) => {
        // What is put back after a cut is looked at again; with the bound on what is held, this makes the work linear.
        expect(stepsOf(() => feed(text, pace))).toBeLessThanOrEqual(3 * text.length);
      }),
      { numRuns: howMany(200) },
    );
  });

  it("loses no letter and no digit", () => {
    const ink = (text: string): string => [...text.matchAll(/[\p{L}\p{N}]/gu)].join("");
    fc.assert(
      fc.property(runs([...units, ...spaces], 200), paces, (text, pace) => {
        expect(ink(feed(text, pace).pieces.join(""))).toBe(ink(text));
      }),
      { numRuns: howMany(200) },
    );
  });

  it("loses no letter that is a pair, wherever the silence before it is dropped", () => {
    const pace: Pace = { latency: "low", chunkLength: 100, minChunkLength: 0 };
    for (let length = 250; length < 262; length++)
      expect([length, feed(`${"。".repeat(length)}\u{20000}`, pace).pieces.join("")]).toEqual([
        length,
        expect.stringContaining("\u{20000}"),
      ]);
  });

  it("is cut between characters as people see them, but for those that are longer than any piece", () => {
    // With letters and without blanks nothing is dropped or trimmed, so that the pieces are the text. A letter follows
    // each emoji: one that ended up as a piece of its own would be dropped as silent.
    const whole = runs(
      [
        ..."a葛กかक".split(""),
        ...units.filter((unit) => /[\p{L}\p{N}]/u.test(unit)),
        "\u{1f1e6}a",
        "x\u{1f468}\u200d\u{1f469}\u200d\u{1f467}x",
      ],
      250,
    );
    fc.assert(
      fc.property(whole, paces, (text, pace) => {
        const { pieces } = feed(text, pace);
        expect(pieces.join("")).toBe(text);
        expect(brokenClusters(text, pieces)).toEqual([]);
      }),
      { numRuns: howMany(300) },
    );
  });

  const pace: Pace = { latency: "balanced", chunkLength: 200, minChunkLength: 0 };
  it.each<[string, string]>([
    ["marks on one letter", `a${"\u0301".repeat(howMany(200_000))}`],
    ["marks in turns", `a${"\u0301\u0316".repeat(howMany(100_000))}`],
    ["digits", "7".repeat(howMany(1_000_000))],
    ["tags of an emoji", `a\u{1f3f4}${"\u{e0067}".repeat(howMany(500_000))}`],
    ["joined emoji", `a${"\u{1f468}\u200d".repeat(howMany(300_000))}`],
    ["first halves of pairs", `a${"\ud83d".repeat(howMany(500_000))}`],
    ["second halves of pairs", `a${"\udc00".repeat(howMany(500_000))}`],
    ["syllables without an end", "\u1100".repeat(howMany(500_000))],
    ["flags", `a${"\u{1f1e6}".repeat(howMany(250_000))}`],
  ])("is dealt with in steps as many as it has %s", (_what, text) => {
    let fed = { pieces: [""], held: 0 };
    const steps = stepsOf(() => {
      fed = feed(text, pace, 8192);
    });
    const { pieces, held } = fed;
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(longestPiece(pace));
    expect(held).toBeLessThanOrEqual(longestHeld(pace));
    expect(steps).toBeLessThanOrEqual(2.5 * text.length);
  });
});
