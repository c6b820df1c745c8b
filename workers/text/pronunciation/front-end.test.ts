import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { normalizeText } from "../normalization/index.js";
import { EnglishFrontEnd } from "./front-end.js";
import { LetterToSound } from "./letter-to-sound.js";
import { readLexiconFile } from "./lexicon-file.js";
import { bare } from "./phones.js";
import { WordList } from "./word-list.js";

// From dist/workers/text/pronunciation.
const path = fileURLToPath(new URL("../../../../models/parley-en/lexicon.bin", import.meta.url));
const frontEnd = EnglishFrontEnd.load(path);

const symbols = (text: string): string =>
  frontEnd
    .pronounce(text)
    .map(({ symbol }) => symbol)
    .join("");
const spoken = (text: string): string => symbols(normalizeText(text, "en").spoken);
/** Without the marks of stress and the final pause. */
const bareOf = (text: string): string => symbols(text).replace(/[ˈˌ]|\.$/g, "");

describe("the English front end", () => {
  it.each([
    ["What do you think about the apple?", "wˈʌt dˈu jˈu θˈɪŋk əbˈᴡt ði ˈæpəl."],
    ["He said hello to the boy", "hˈi sˈɛd həlˈᴏ tə ðə bˈʏ."],
    ["Is it twenty-five, or less?", "ˈɪz ˈɪt twˈɛnti fˈᴉv,ˈɔɹ lˈɛs?"],
    ["Yes! No; maybe: well", "jˈɛs!nˈᴏ;mˈᴀbi:wˈɛl."],
    ["a café (in Zürich)", "ə kəfˈᴀ,ɪn zˈʊɹɪk,"],
    ["“Don’t,” she said.", "dˈᴏnt,ʃˈi sˈɛd."],
  ])("pronounces %j", (text, expected) => expect(symbols(text)).toBe(expected));

  it("stresses vowels only, in all its tables", () => {
    const words =
      "but because however use record live lives close resume a the to of b c w okay workspace's unfollowable superfluid NASA GPUs";
    for (const pair of symbols(`${words} mr dr we're they're reused misread probably`).match(/ˈ./gu) ?? [])
      expect(pair).toMatch(/ˈ[ɑæʌɔᴡᴉɛɝᴀɪiᴏʏʊu]/u);
    expect(symbols("thirty printed uses")).toBe("θˈɝdi pɹˈɪntəd jˈuzəz.");
  });

  it("uses only symbols that the voice's contract names", () => {
    const all = new Set(readLexiconFile(path).symbols.flatMap((phone) => [...phone]));
    expect([...all].sort().join("")).toBe([..."bdfghjklmnŋpɹsʃtθðvwzʒʧʤɑæʌɔᴡᴉɛɝᴀɪiᴏʏʊuəˈˌ"].sort().join(""));
  });

  it.each([
    ["I will record the record.", "ˈᴉ wˈɪl ɹəkˈɔɹd ðə ɹˈɛkɝd."],
    ["They object to this object.", "ðˈᴀ əbʤˈɛkt tə ðˈɪs ˈɑbʤɛkt."],
    ["I read it yesterday.", "ˈᴉ ɹˈɛd ˈɪt jˈɛstɝdˈᴀ."],
    ["Please read it now.", "plˈiz ɹˈid ˈɪt nˈᴡ."],
    ["We live with live music.", "wˈi lˈɪv wˈɪð lˈᴉv mjˈuzɪk."],
    ["Close the door, it is close.", "klˈᴏz ðə dˈɔɹ,ˈɪt ˈɪz klˈᴏs."],
    ["Use it for its use.", "jˈuz ˈɪt fˈɔɹ ˈɪts jˈus."],
  ])("tells homographs apart in %j", (text, expected) => expect(symbols(text)).toBe(expected));

  it.each([
    ["the GPUs of NASA and IBM", "ðə ʤˈipˈijˈuz ˈʌv nˈæsə ˈænd ˈᴉbˈiˈɛm."],
    ["the U.S. army", "ðə jˈu ˈɛs ˈɑɹmi."],
    ["vitamin A, a T-shirt", "vˈᴉtəmən ˈᴀ,ə tˈi ʃˈɝt."],
    ["MyGitHub and XMLReader", "mˈᴉgˈɪthˈʌb ˈænd ˈɛksˈɛmˈɛlɹˈidɝ."],
    ["STOP DOING THAT", "stˈɑp dˈuɪŋ ðˈæt."],
  ])("reads capitals in %j", (text, expected) => expect(spoken(text)).toBe(expected));

  it.each([
    ["workspace's", "wɝkspᴀsəz"],
    ["unfollowable", "ʌnfɑlᴏəbəl"],
    ["zorbed", "zɔɹbd"],
    ["dockerized", "dɑkɝᴉzd"],
    ["glimpsable", "glɪmpsəbəl"],
    ["flooshing", "fluʃɪŋ"],
    ["James's", "ʤᴀmzəz"],
    ["blickets", "blɪkəts"],
  ])("reads the unlisted word %s", (word, expected) => expect(bareOf(word)).toBe(expected));

  it("lets yes-or-no questions rise and the others fall", () => {
    for (const text of ["Are you there?", "You saw her?", "What a day, isn't it?", "Say what it is?"])
      expect(symbols(text).at(-1)).toBe("?");
    for (const text of ["Where are you?", "And why not?", "In what way?", "Well, how is she?"])
      expect(symbols(text).at(-1)).toBe(".");
  });

  it("takes breath in a long run of words, before a clause or a phrase", () => {
    const long = symbols(
      "He said that the man who lived in the house with the red door was not able to come because it had been closed.",
    );
    expect(long.match(/\|/g)?.length).toBeGreaterThanOrEqual(2);
    expect(long).toContain("|bɪkˈɔz");
    expect(symbols("The man who lived in the red house was here.")).not.toContain("|");
    const phrases = "The old red house at the far end of the narrow street across from the small church";
    expect(symbols(`${phrases} burned.`)).not.toContain("|");
    expect(symbols(`${phrases} with the bells burned down in the night.`).match(/\|/g)?.length).toBe(1);
  });

  it("raises the items of a list before its last and what the writer stressed", () => {
    const raised = (text: string, starred?: (range: { start: number }) => boolean): string =>
      frontEnd
        .pronounce(text, starred)
        .filter(({ pitchSemitones }) => pitchSemitones > 0)
        .map(({ symbol }) => symbol)
        .join("");
    expect(raised("We bought pears, plums, and cherries.")).toBe("ˈɛɹzˈʌmz");
    expect(raised("We bought pears, and cherries.")).toBe("");
    expect(raised("That is NOT what I said.")).toBe("nˈɑt");
    expect(raised("NASA is NOT IBM.")).toBe("nˈɑt");
    expect(raised("THAT IS NOT RIGHT.")).toBe("");
    expect(raised("I really mean it.", ({ start }) => start === 2)).toBe("ɹˈɪli");
  });

  it("names the range of each word, figures and signs included", () => {
    const text = "Pay  25% to R&D";
    const ranges = new Set(
      frontEnd
        .pronounce(text)
        .filter(({ symbol }) => symbol !== " ")
        .map(({ range }) => text.slice(range.start, range.end)),
    );
    expect([...ranges]).toEqual(["Pay", "25", "%", "to", "R", "&", "D", ""]);
  });

  it("reads letters whatever their typeface", () => {
    for (const text of ["𝓖𝓸 home", "Ｇｏ home"]) expect(symbols(text)).toBe(symbols("Go home"));
    expect(symbols("ﬁsh")).toBe(symbols("fish"));
  });

  it("has nothing to say for other scripts, and survives what is no text", () => {
    for (const text of ["日本語", "Привет", "😀", "...", "", "\ud800", "'"])
      expect(symbols(text).replace(/[.,?!;:|]/g, "")).toBe("");
    expect(symbols("e\u0301".repeat(200)).length).toBeGreaterThan(100);
    expect(symbols("٣ cats")).toBe("θɹˈi kˈæts.");
    expect(symbols("9".repeat(400)).length).toBeGreaterThan(1000);
  });
});

describe("the lexicon", () => {
  const file = readLexiconFile(path);
  const list = new WordList(file);

  it("finds each of its words and no other", () => {
    let words = 0;
    for (const [word, phones] of list.entries()) {
      if (words++ % 397 === 0) {
        expect(list.find(word)).toEqual(phones);
        expect(list.find(`${word}qx`)).toBeNull();
      }
    }
    expect(words).toBe(file.wordCount);
    for (const word of ["", "zzzzz", "'", "0", "ａ"]) expect(list.find(word)).toBeNull();
  });

  it("agrees with its own letter-to-sound model in most phones", () => {
    const letters = new LetterToSound(file);
    let [same, all, at] = [0, 0, 0];
    for (const [word, phones] of list.entries()) {
      if (at++ % 1000 !== 0 || /[^a-z]/.test(word)) continue;
      const read = letters.read(word);
      all++;
      if (read.map(bare).join("") === phones.map(bare).join("")) same++;
    }
    // It was trained on them: on unseen words seven in ten (models/training/front-end).
    expect(same / all).toBeGreaterThan(0.72);
  });
});
