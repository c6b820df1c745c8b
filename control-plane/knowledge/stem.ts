/**
 * Takes the endings off an English word that grammar puts there: plural, past, -ing and -ly. The result need not be a word; forms of one word
 * should have the same one. Words of other languages and short words come through nearly as they are.
 */
export function stem(word: string): string {
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word;
  return finish(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.length === 3 || /(ss|us|is)$/.test(word)) return word;
  if (/(sh|ch|x|z|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`;
  // The last letter before -ed is no e: "need" and "speed" are whole.
  const [, base] = /^(.*[aeiouy].*)(?:ing|ingly)$/.exec(word) ?? /^(.*[aeiouy].*[^e]|[aeiouy][^e])(?:ed|edly)$/.exec(word) ?? [];
  return base === undefined || base.length < 2 ? word : base;
}

/**
 * Evens out what endings do to the word before them: "pricing" lacks the e of "price", "stopped" has two p, and "carried" an i where "carry" has
 * a y. So no stem ends in e or in a consonant twice, and none in y after a consonant.
 */
function finish(word: string): string {
  const plain = word.endsWith("ly") && word.length > 5 ? word.slice(0, -2) : word;
  const bare = plain.endsWith("e") && plain.length > 2 ? plain.slice(0, -1) : plain;
  const single = /([b-df-hj-np-tv-z])\1$/.test(bare) && bare.length > 2 ? bare.slice(0, -1) : bare;
  return /[^aeiou]y$/.test(single) ? `${single.slice(0, -1)}i` : single;
}
