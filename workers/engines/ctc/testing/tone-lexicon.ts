import type { SmallModel } from "../../../recognition/decoding/testing/write-words-file.js";

const symbols = ["t", "uw", "m", "iy", "eh", "n"];
const sounds: Readonly<Record<string, readonly string[]>> = {
  me: ["m", "iy"],
  men: ["m", "eh", "n"],
  to: ["t", "uw"],
  two: ["t", "uw"],
};
const words = Object.keys(sounds);

/** Ids: `<unk>`, `<s>`, `</s>`, me, men, to, two. */
const model: SmallModel = {
  words,
  pronunciations: words.map((word) => [(sounds[word] ?? []).map((symbol) => symbols.indexOf(symbol) + 1)]),
  unigram: [-20, -20, -2, -2, -2, -1, -2.2],
  bigrams: [
    { pair: [5, 3], value: -0.5 },
    { pair: [6, 4], value: -0.3 },
  ],
};

/** Four words over six tones; "to" and "two" sound alike, and what follows tells them apart. */
export const toneLexicon = {
  symbols,
  model,
  say: (...said: (keyof typeof sounds)[]): number[] =>
    said.flatMap((word) => (sounds[word] ?? []).map((symbol) => symbols.indexOf(symbol))),
};
