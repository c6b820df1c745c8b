/**
 * Takes the endings off an English word that grammar puts there: plural, past, -ing and -ly. The result need not be a
 * word; forms of one word should have the same one. Words of other languages and short words come through nearly as
 * they are.
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
  for (const ending of ["ing", "ingly", "ed", "edly"]) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length);
    // The last letter before -ed is no e, and not the only vowel: "need" and "speed" are whole.
    const hasVowel = /[aeiouy]/.test(ending.startsWith("ing") ? base : base.slice(0, -1));
    const isWhole = ending.startsWith("ed") && base.endsWith("e");
    return base.length < 2 || isWhole || !hasVowel ? word : base;
  }
  return word;
}

/**
 * Evens out what endings do to the word before them: "pricing" lacks the e of "price", "stopped" has two p, and
 * "carried" an i where "carry" has a y. So no stem ends in e or in a consonant twice, and none in y after a consonant.
 */
function finish(word: string): string {
  const plain = word.endsWith("ly") && word.length > 5 ? word.slice(0, -2) : word;
  const bare = plain.endsWith("e") && plain.length > 2 ? plain.slice(0, -1) : plain;
  const single = /([b-df-hj-np-tv-z])\1$/.test(bare) && bare.length > 2 ? bare.slice(0, -1) : bare;
  return /[^aeiou]y$/.test(single) ? `${single.slice(0, -1)}i` : single;
}
