const otherLetter = /^\p{L}$/u;
const latinLetter = /^\p{Script=Latin}$/u;

/** Whether English rules apply: `language` says so, or it is null and at least half of the letters are Latin. */
export function readsAsEnglish(text: string, language: string | null): boolean {
  if (language !== null && language !== "") return /^en(?:$|[-_])/i.test(language);
  let latin = 0;
  let other = 0;
  for (const character of text) {
    if (character < "\u0080") {
      const lower = character.charCodeAt(0) | 32;
      if (lower >= 97 && lower <= 122) latin++;
    } else if (latinLetter.test(character)) latin++;
    else if (otherLetter.test(character)) other++;
  }
  return latin >= other;
}

/** Whether numeric dates put the day first: every English but that of the United States, when the region is named. */
export function putsDayFirst(language: string | null): boolean {
  return language !== null && /^en[-_]/i.test(language) && !/^en[-_]us/i.test(language);
}
