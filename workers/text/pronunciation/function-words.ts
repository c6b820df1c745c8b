import { type Phones, transcribe } from "./phones.js";

/**
 * Words whose usual form is not the first that the lexicon lists. The voice learned from speech that was labelled with full vowels and
 * stress in nearly all of them: how short such a word is, it knows from the word itself.
 */
const forms: Readonly<Record<string, string>> = {
  a: "ə", an: "ˈæn", the: "ðə", to: "tə", of: "ˈʌv", and: "ˈænd", or: "ˈɔɹ", but: "bˈʌt", nor: "nˈɔɹ", for: "fˈɔɹ", from: "fɹˈʌm", in: "ɪn",
  on: "ˈɑn", at: "ˈæt", by: "bˈᴉ", with: "wˈɪð", as: "ˈæz", than: "ðˈæn", that: "ðˈæt", this: "ðˈɪs", is: "ˈɪz", are: "ˈɑɹ", was: "wˈɑz", were: "wɝ",
  be: "bˈi", been: "bˈɪn", am: "ˈæm", has: "hˈæz", have: "hˈæv", had: "hˈæd", do: "dˈu", does: "dˈʌz", did: "dˈɪd", can: "kˈæn", could: "kˈʊd",
  will: "wˈɪl", would: "wˈʊd", shall: "ʃˈæl", should: "ʃˈʊd", may: "mˈᴀ", might: "mˈᴉt", must: "mˈʌst", i: "ˈᴉ", you: "jˈu", he: "hˈi", she: "ʃˈi",
  it: "ˈɪt", we: "wˈi", they: "ðˈᴀ", me: "mˈi", him: "hˈɪm", her: "hɝ", us: "ˈʌs", them: "ðˈɛm", my: "mˈᴉ", your: "jˈɔɹ", his: "hˈɪz", its: "ˈɪts",
  our: "ˈᴡɝ", their: "ðˈɛɹ", "we're": "wˈɪɹ", "they're": "ðˈɛɹ", "you're": "jˈʊɹ", into: "ɪntˈu", just: "ʤˈʌst", some: "sˈʌm", there: "ðˈɛɹ",
  however: "hˈᴡˈɛvɝ", whatever: "wˈʌtˈɛvɝ", although: "ˈɔlðˈᴏ", here: "hˈɪɹ", even: "ˈivən", cannot: "kænˈɑt", especially: "ɪspˈɛʃli",
  because: "bɪkˈɔz", "'em": "əm", "'cause": "kˈʌz", ok: "ˌᴏkˈᴀ", okay: "ˌᴏkˈᴀ", mr: "mˈɪstɝ", mrs: "mˈɪsəz", dr: "dˈɑktɝ", st: "sˈᴀnt", vs: "vˈɝsəs",
};

const table = new Map(Object.entries(forms).map(([word, phones]) => [word, transcribe(phones)]));
const theBeforeVowel = transcribe("ði");

/** The form of a function word; `beforeVowel` says how the next word of the same phrase begins. Null for other words. */
export function functionWord(word: string, beforeVowel: boolean): Phones | null {
  if (beforeVowel && word === "the") return theBeforeVowel;
  return table.get(word) ?? null;
}
