import { type Phones, transcribe } from "./phones.js";

const names: Readonly<Record<string, Phones>> = Object.fromEntries(
  Object.entries({
    a: "ˈᴀ",
    b: "bˈi",
    c: "sˈi",
    d: "dˈi",
    e: "ˈi",
    f: "ˈɛf",
    g: "ʤˈi",
    h: "ˈᴀʧ",
    i: "ˈᴉ",
    j: "ʤˈᴀ",
    k: "kˈᴀ",
    l: "ˈɛl",
    m: "ˈɛm",
    n: "ˈɛn",
    o: "ˈᴏ",
    p: "pˈi",
    q: "kjˈu",
    r: "ˈɑɹ",
    s: "ˈɛs",
    t: "tˈi",
    u: "jˈu",
    v: "vˈi",
    w: "dˈʌbəlju",
    x: "ˈɛks",
    y: "wˈᴉ",
    z: "zˈi",
  }).map(([letter, phones]) => [letter, transcribe(phones)]),
);

/** A word read letter by letter, each stressed; null when it holds anything but the 26 letters. */
export function spell(word: string): Phones | null {
  const letters = [...word.toLowerCase()].map((letter) => (Object.hasOwn(names, letter) ? names[letter] : undefined));
  if (letters.length === 0 || letters.includes(undefined)) return null;
  return letters.flatMap((phones) => phones ?? []);
}
