import { type Delivery, neutralDelivery } from "#protocol/speech/chunk";

type Manner = Partial<Omit<Delivery, "style">>;

/**
 * What known styles do to a neutral delivery. The emotion and tone names are those that the service documents for `s1`;
 * the numbers are moderate on purpose: an engine that only moves pitch, rate and level must stay intelligible.
 */
const manners = {
  neutral: {},
  calm: { pitchSemitones: -0.5, pitchRangeFactor: 0.8, rateFactor: 0.93, gainDb: -1 },
  relaxed: { pitchSemitones: -0.5, pitchRangeFactor: 0.85, rateFactor: 0.93, gainDb: -1 },
  serious: { pitchSemitones: -1, pitchRangeFactor: 0.8, rateFactor: 0.95 },
  indifferent: { pitchRangeFactor: 0.6, rateFactor: 0.97 },
  confident: { pitchSemitones: -0.5, pitchRangeFactor: 1.1, gainDb: 1.5 },
  proud: { pitchRangeFactor: 1.2, gainDb: 1.5 },
  sincere: { pitchRangeFactor: 0.95, rateFactor: 0.95 },
  comforting: { pitchSemitones: -0.5, pitchRangeFactor: 0.85, rateFactor: 0.9, gainDb: -2 },
  empathetic: { pitchSemitones: -0.5, pitchRangeFactor: 0.9, rateFactor: 0.92, gainDb: -1 },
  happy: { pitchSemitones: 2, pitchRangeFactor: 1.3, rateFactor: 1.06, gainDb: 1 },
  joyful: { pitchSemitones: 2.5, pitchRangeFactor: 1.4, rateFactor: 1.08, gainDb: 1 },
  delighted: { pitchSemitones: 2.5, pitchRangeFactor: 1.35, rateFactor: 1.05, gainDb: 1 },
  amused: { pitchSemitones: 1.5, pitchRangeFactor: 1.3 },
  satisfied: { pitchSemitones: 0.5, pitchRangeFactor: 1.1 },
  grateful: { pitchSemitones: 1, pitchRangeFactor: 1.1 },
  moved: { pitchSemitones: 0.5, rateFactor: 0.92, gainDb: -1 },
  excited: { pitchSemitones: 3, pitchRangeFactor: 1.5, rateFactor: 1.15, gainDb: 2 },
  interested: { pitchSemitones: 1, pitchRangeFactor: 1.2 },
  curious: { pitchSemitones: 1.5, pitchRangeFactor: 1.25 },
  keen: { pitchSemitones: 1.5, pitchRangeFactor: 1.25, rateFactor: 1.06 },
  surprised: { pitchSemitones: 3.5, pitchRangeFactor: 1.5, gainDb: 1 },
  astonished: { pitchSemitones: 4, pitchRangeFactor: 1.6, rateFactor: 0.98, gainDb: 1 },
  confused: { pitchSemitones: 1, pitchRangeFactor: 1.2, rateFactor: 0.93 },
  sad: { pitchSemitones: -2, pitchRangeFactor: 0.7, rateFactor: 0.88, gainDb: -2 },
  unhappy: { pitchSemitones: -1.5, pitchRangeFactor: 0.75, rateFactor: 0.92, gainDb: -1 },
  depressed: { pitchSemitones: -2.5, pitchRangeFactor: 0.55, rateFactor: 0.83, gainDb: -3 },
  upset: { pitchSemitones: -1, pitchRangeFactor: 0.85, rateFactor: 0.95 },
  painful: { pitchSemitones: 1, pitchRangeFactor: 0.8, rateFactor: 0.88, gainDb: -1 },
  guilty: { pitchSemitones: -1.5, pitchRangeFactor: 0.7, rateFactor: 0.9, gainDb: -2 },
  disappointed: { pitchSemitones: -1.5, pitchRangeFactor: 0.75, rateFactor: 0.92, gainDb: -1 },
  angry: { pitchSemitones: 1, pitchRangeFactor: 1.4, rateFactor: 1.1, gainDb: 3 },
  furious: { pitchSemitones: 2, pitchRangeFactor: 1.6, rateFactor: 1.15, gainDb: 4 },
  frustrated: { pitchSemitones: 0.5, pitchRangeFactor: 1.25, rateFactor: 1.04, gainDb: 1.5 },
  impatient: { pitchSemitones: 0.5, pitchRangeFactor: 1.2, rateFactor: 1.15, gainDb: 1 },
  disgusted: { pitchSemitones: -1, pitchRangeFactor: 1.2, rateFactor: 0.94 },
  disdainful: { pitchSemitones: -1, pitchRangeFactor: 1.1, rateFactor: 0.95 },
  scornful: { pitchSemitones: -0.5, pitchRangeFactor: 1.2, rateFactor: 0.96 },
  sneering: { pitchSemitones: -0.5, pitchRangeFactor: 1.3, rateFactor: 0.96 },
  sarcastic: { pitchRangeFactor: 1.4, rateFactor: 0.94 },
  disapproving: { pitchSemitones: -1, pitchRangeFactor: 1.1 },
  negative: { pitchSemitones: -1 },
  denying: { pitchSemitones: -0.5, pitchRangeFactor: 1.1 },
  scared: { pitchSemitones: 3, pitchRangeFactor: 1.2, rateFactor: 1.12, gainDb: -1 },
  panicked: { pitchSemitones: 4, pitchRangeFactor: 1.4, rateFactor: 1.25, gainDb: 2 },
  hysterical: { pitchSemitones: 4, pitchRangeFactor: 1.7, rateFactor: 1.2, gainDb: 3 },
  worried: { pitchSemitones: 1, pitchRangeFactor: 0.9, rateFactor: 1.02, gainDb: -1 },
  anxious: { pitchSemitones: 1.5, rateFactor: 1.08 },
  nervous: { pitchSemitones: 1.5, rateFactor: 1.08, gainDb: -1 },
  embarrassed: { pitchSemitones: 1, pitchRangeFactor: 0.85, rateFactor: 0.95, gainDb: -2 },
  awkward: { pitchSemitones: 0.5, pitchRangeFactor: 0.85, rateFactor: 0.93 },
  hesitating: { pitchRangeFactor: 0.9, rateFactor: 0.85 },
  reluctant: { pitchSemitones: -1, pitchRangeFactor: 0.8, rateFactor: 0.88 },
  yielding: { pitchSemitones: -0.5, pitchRangeFactor: 0.85, rateFactor: 0.93, gainDb: -1 },
  conciliative: { pitchRangeFactor: 0.95, rateFactor: 0.95, gainDb: -1 },
  "in a hurry tone": { rateFactor: 1.3 },
  shouting: { pitchSemitones: 3, pitchRangeFactor: 1.3, gainDb: 6 },
  screaming: { pitchSemitones: 5, pitchRangeFactor: 1.4, gainDb: 7 },
  whispering: { gainDb: -4, rateFactor: 0.95, whisper: true },
  "soft tone": { pitchSemitones: -0.5, pitchRangeFactor: 0.85, gainDb: -5 },
  // Sounds that no engine of this version makes: the tag is swallowed and its name travels for engines that can.
  laughing: {},
  chuckling: {},
  sobbing: {},
  "crying loudly": {},
  sighing: {},
  panting: {},
  groaning: {},
  "crowd laughing": {},
  "background laughter": {},
  "audience laughing": {},
  breath: {},
  laugh: {},
  cough: {},
  "lip-smacking": {},
} as const satisfies Record<string, Manner>;
type StyleName = keyof typeof manners;

/** Other ways to write a style, and word stems by which a free description is understood (`[whispers sadly]`). */
const stems: readonly (readonly [stem: string, style: StyleName])[] = [
  ["whisper", "whispering"],
  ["scream", "screaming"],
  ["shout", "shouting"],
  ["yell", "shouting"],
  ["loud", "shouting"],
  ["hurr", "in a hurry tone"],
  ["rush", "in a hurry tone"],
  ["fast", "in a hurry tone"],
  ["quick", "in a hurry tone"],
  ["slow", "hesitating"],
  ["soft", "soft tone"],
  ["quiet", "soft tone"],
  ["gentl", "comforting"],
  ["warm", "comforting"],
  ["furious", "furious"],
  ["angr", "angry"],
  ["mad", "angry"],
  ["excit", "excited"],
  ["enthusias", "excited"],
  ["unhapp", "unhappy"],
  ["happ", "happy"],
  ["cheer", "happy"],
  ["joy", "joyful"],
  ["depress", "depressed"],
  ["sad", "sad"],
  ["sorrow", "sad"],
  ["scare", "scared"],
  ["fear", "scared"],
  ["terrif", "panicked"],
  ["panic", "panicked"],
  ["worr", "worried"],
  ["nervous", "nervous"],
  ["anxious", "anxious"],
  ["surpris", "surprised"],
  ["amaz", "astonished"],
  ["curious", "curious"],
  ["confus", "confused"],
  ["sarcas", "sarcastic"],
  ["serious", "serious"],
  ["confiden", "confident"],
  ["calm", "calm"],
  ["relax", "relaxed"],
  ["empath", "empathetic"],
];

const pausesMs: Readonly<Record<string, number>> = {
  break: 400,
  "short-break": 200,
  "long-break": 1000,
  pause: 500,
  "short pause": 250,
  "medium pause": 500,
  "long pause": 1000,
};

/** What a tag's content asks for. */
export type TagMeaning = { kind: "pause"; pauseMs: number } | { kind: "delivery"; delivery: Delivery };

/**
 * The meaning of a tag from the documented list; null when the list does not have it. `name` is lower case and trimmed.
 */
export function knownTag(name: string): TagMeaning | null {
  const pauseMs = Object.hasOwn(pausesMs, name) ? pausesMs[name] : undefined;
  if (pauseMs !== undefined) return { kind: "pause", pauseMs };
  return isStyleName(name)
    ? { kind: "delivery", delivery: { ...neutralDelivery, ...manners[name], style: name } }
    : null;
}

/**
 * The meaning of a free description in words: the first known stem decides the numbers, the words themselves travel as
 * the style.
 */
export function describedTag(name: string): TagMeaning {
  const known = knownTag(name);
  if (known !== null) return known;
  const words = name.split(/[^\p{L}]+/u);
  if (words.includes("pause") || words.includes("break")) {
    const long = words.includes("long");
    return { kind: "pause", pauseMs: words.includes("short") ? 250 : long ? 1000 : 500 };
  }
  const match = stems.find(([stem]) => words.some((word) => word.startsWith(stem)));
  const manner = match === undefined ? {} : manners[match[1]];
  return { kind: "delivery", delivery: { ...neutralDelivery, ...manner, style: name } };
}

const isStyleName = (name: string): name is StyleName => Object.hasOwn(manners, name);
