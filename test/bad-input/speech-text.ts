import { audio, type Case, error, type Expected, silent } from "./case.js";
import { goodSpeech, goodStart, jsonCase, liveCase, msgpackCase, SPEECH_EVENTS, stop, textEvent } from "./requests.js";

/** Documented: text with nothing to speak in it, directions and control tokens included, which are never spoken. */
const silentTexts: [name: string, text: string][] = [
  ["no characters", ""],
  ["a space", " "],
  ["white space of every kind", " \t\n\r\v\f\u00a0\u2003\u2028\u2029\u3000"],
  ["100,000 spaces", " ".repeat(100_000)],
  ["1,000,000 line ends", "\n".repeat(1_000_000)],
  ["zero-width characters", "\u200b\u200c\u200d\ufeff\u2060"],
  ["direction marks", "\u202e\u202d\u200f\u200e\u2066\u2069"],
  ["a NUL", "\u0000"],
  ["control characters", "\u0001\u0007\u0008\u001b\u007f\u0085"],
  ["full stops", "..."],
  ["marks", "?!?! ,;: -- \"'` ()"],
  ["10^5 opening parentheses", "(".repeat(100_000)],
  ["10^5 opening brackets", "[".repeat(100_000)],
  ["10^5 angle brackets", "<".repeat(100_000)],
  ["10^5 pairs of parentheses", "()".repeat(50_000)],
  ["10^5 nested brackets", "[".repeat(50_000) + "]".repeat(50_000)],
  ["an emotion tag", "(happy)"],
  ["two emotion tags", "(happy) (sad)"],
  ["an expression tag", "[whisper]"],
  ["a free direction", "[like a pirate on a rainy day]"],
  ["a speaker tag", "<|speaker:1|>"],
  ["many speaker tags", "<|speaker:0|><|speaker:1|>".repeat(5000)],
  ["a control token", "<|endoftext|>"],
  ["tags and marks", "(happy)... [whisper] ?! <|speaker:0|> -"],
];

const spokenTexts: [name: string, text: string][] = [
  ["one letter", "a"],
  ["one digit", "7"],
  ["a letter after 10,000 spaces", `${" ".repeat(10_000)}a`],
  ["a letter after 10,000 line ends", `${"\n".repeat(10_000)}a`],
  ["a NUL inside", "Go\u0000on"],
  ["control characters inside", "Go\u0007\u001b[31m on\u0008."],
  ["a lone high surrogate inside", "Go \ud800 on"],
  ["a lone low surrogate inside", "Go \udc00 on"],
  ["a non-character", "Go \uffff\ufffe on"],
  ["right-to-left text", "مرحبا"],
  ["Hebrew with marks", "שָׁלוֹם"],
  ["an override in front", "\u202eGo\u202c"],
  ["zalgo", `G${"\u0300\u0301\u0302\u0489".repeat(50)}o`],
  ["1,000 combining marks on one letter", `a${"\u0301".repeat(1000)}`],
  ["Chinese", "你好"],
  ["Japanese", "はい"],
  ["Thai", "ครับ"],
  ["mathematical letters", "𝓖𝓸"],
  ["emoji around a word", "🙂 Go 👩‍👩‍👧‍👦"],
  ["markup", "<b>Go</b>"],
  ["SSML", '<speak><break time="1s"/>Go</speak>'],
  ["an SSML bomb", '<!DOCTYPE a [<!ENTITY b "bb">]><speak>&b;</speak>'],
  ["a shell command", "$(touch /tmp/x); `id` | Go"],
  ["an SQL statement", "'); DROP TABLE voices; --"],
  ["format directives", "%s %n %x Go"],
  ["a template", "{{7*7}} <%= 7*7 %>"],
  ["an escape sequence of espeak", "[[h@l'oU]] Go"],
  ["an unclosed tag", "(happy Go"],
  ["an unclosed speaker tag", "<|speaker:0 Go"],
  ["a tag in a tag", "((happy)) Go"],
  ["a speaker that does not exist", "<|speaker:4095|>Go"],
  ["a negative speaker", "<|speaker:-1|>Go"],
  ["a speaker beyond any number", "<|speaker:99999999999999999999|>Go"],
  ["speakers word by word", "<|speaker:0|>Go<|speaker:1|>on<|speaker:2|>now"],
  ["1,000 openers before a word", `${"[".repeat(1000)}Go`],
  ["1,000 token openers before a word", `${"<|".repeat(1000)}Go`],
  ["a tag of 200 characters", `[${"very ".repeat(40)}loud] Go`],
  ["a number of 60 digits", "9".repeat(60)],
  ["a number with every mark", "-1,2.3e-4/5:6%"],
  ["dates that are none", "99/99/9999 31.02.2024 25:61"],
  ["money without a number", "$ Go £"],
  ["a URL of 300 characters", `https://example.com/${"a/".repeat(140)}`],
  ["CR, LF and CRLF", "Go\ron\nand\r\non"],
];

/** More to say than anybody waits for: audio begins all the same, and the client leaves. */
const endlessTexts: [name: string, text: string][] = [
  ["100,000 digits", "1234567890".repeat(10_000)],
  ["a word of 100,000 letters", "a".repeat(100_000)],
  ["100,000 words", "go ".repeat(100_000)],
  ["100,000 Chinese characters", "好".repeat(100_000)],
  ["100,000 sentences", "Go. ".repeat(100_000)],
];

/** The documents do not say whether these are speech. */
const openTexts: [name: string, text: string][] = [
  ["an emoji", "🙂"],
  ["a family of emoji", "👩‍👩‍👧‍👦👍🏽"],
  ["a lone surrogate", "\ud800"],
  ["a combining mark", "\u0301"],
  ["a currency sign", "€"],
  ["a plus sign", "+"],
  ["a private-use character", "\ue000"],
];

const request = (text: string): object => ({ ...goodSpeech, text });

export function textCases(): Case[] {
  const either: Expected[] = [...audio, ...silent];
  return [
    ...silentTexts.flatMap(([name, text]) => [
      jsonCase(`nothing to speak: ${name}`, request(text), silent),
      msgpackCase(`nothing to speak: ${name}`, request(text), silent),
      jsonCase(`timestamps, nothing to speak: ${name}`, request(text), silent, { path: SPEECH_EVENTS }),
    ]),
    ...spokenTexts.map(([name, text]) => jsonCase(`spoken: ${name}`, request(text), audio)),
    ...spokenTexts
      .filter((_, index) => index % 4 === 0)
      .map(([name, text]) => msgpackCase(`spoken: ${name}`, request(text), audio)),
    ...endlessTexts.map(([name, text]) =>
      jsonCase(`endless: ${name}`, request(text), audio, { leaveAfterBytes: 4000 }),
    ),
    ...openTexts.map(([name, text]) => jsonCase(`open: ${name}`, request(text), either)),
    ...["wav", "mp3", "opus"].map((format) => jsonCase(`open: a sign alone, ${format}`, { text: "+", format }, either)),
    jsonCase("an emotion tag to s1", request("(happy)"), silent, { headers: { model: "s1" } }),
    // The parenthesis form and its list belong to every model; what s1 does with a free direction in brackets is not
    // documented.
    jsonCase("a free direction to s1", request("[like a pirate]"), either, { headers: { model: "s1" } }),
    jsonCase("nothing to speak to the free model", request("..."), error("nothing_to_speak"), {
      headers: { model: "s2.1-pro-free" },
    }),
  ];
}

/** The same texts word by word. A live stream without anything to speak ends as any other, without audio. */
export function liveTextCases(): Case[] {
  return [
    ...silentTexts.map(([name, text]) =>
      liveCase(`live, nothing to speak: ${name}`, [goodStart, textEvent(text), stop], [{ kind: "stop", audio: false }]),
    ),
    ...spokenTexts
      .filter((_, index) => index % 3 === 1)
      .map(([name, text]) => {
        const letters = [...text].length < 200 ? [...text] : [text];
        return liveCase(
          `live, letter by letter: ${name}`,
          [goodStart, ...letters.map(textEvent), stop],
          [{ kind: "stop", audio: true }],
        );
      }),
    ...endlessTexts.map(([name, text]) =>
      liveCase(`live, endless: ${name}`, [goodStart, textEvent(text), "leave"], [{ kind: "left" }]),
    ),
  ];
}
