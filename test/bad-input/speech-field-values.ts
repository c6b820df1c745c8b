import { CANARY } from "./case.js";

/** Values for one field of the speech request (docs/protocol.md "Speech requests"). */
export interface FieldValues {
  /** Place in the request. */
  path: string[];
  /** What the request has besides, where the field depends on others. */
  besides?: Record<string, unknown>;
  /** Accepted; `null` is accepted everywhere but in `text` and is not listed. */
  good: unknown[];
  /** Refused with 422 at `path`. */
  bad: unknown[];
}

const notNumbers: unknown[] = [CANARY, "1", "", true, false, [], [1], {}, { $gt: 0 }];
const notStrings: unknown[] = [0, 1.5, -1, true, {}, { [CANARY]: CANARY }];
const notWords: unknown[] = [...notStrings, "", CANARY, ["mp3"], [], "null"];
const booleans: Omit<FieldValues, "path"> = {
  good: [true, false],
  bad: [0, 1, 2, "true", "false", CANARY, "", [], [true], {}],
};

function integer(min: number, max: number): Omit<FieldValues, "path"> {
  const good = [min, max, Math.round((min + max) / 2)];
  return { good, bad: [min - 1, max + 1, min + 0.5, -max - 1, 1e9, 1e21, -1e308, 2 ** 53, ...notNumbers] };
}

function number(min: number, max: number): Omit<FieldValues, "path"> {
  return {
    good: [min, max, (min + max) / 2],
    bad: [min - 0.01, max + 0.01, max + 1, -1e9, 1e308, -1e308, ...notNumbers],
  };
}

const mp3 = { format: "mp3", sample_rate: 32000 };
const opus = { format: "opus", sample_rate: 48000 };
const rates = [0, 1, -8000, 7999, 8000.5, 11025, 22050, 48000, 88200, 96000, 1e12];

export const speechFields: FieldValues[] = [
  { path: ["text"], good: ["Go."], bad: [...notStrings, null, [], ["Go."], [CANARY]] },
  {
    path: ["reference_id"],
    good: ["", []],
    bad: [...notStrings, [5], [null], [[CANARY]], [{}], [true], Array(17).fill(CANARY)],
  },
  {
    path: ["references"],
    good: [[]],
    bad: [0, true, "", CANARY, {}, { audio: CANARY }, [5], [null], [CANARY], [true], [{}], [{ text: CANARY }]],
  },
  {
    path: ["format"],
    good: ["wav", "pcm"],
    bad: [...notWords, "MP3", "Wav", " pcm", "pcm ", "flac", "aac", "mp3,wav", "pcm_16000", "opus\u0000"],
  },
  {
    path: ["mp3_bitrate"],
    besides: mp3,
    good: [64, 128, 192],
    bad: [0, 1, 63, 65, 96, 128.5, 129, 256, 320, -64, 64000, 128000, 1e300, ...notNumbers],
  },
  {
    path: ["opus_bitrate"],
    besides: opus,
    good: [-1000, 24, 32, 48, 64, 24000, 32000, 48000, 64000],
    bad: [0, 1, -1, -24, 23, 25, 24.5, 128, 999, 1000, 23999, 64001, 128000, -1001, 1e300, ...notNumbers],
  },
  {
    path: ["sample_rate"],
    besides: { format: "pcm" },
    good: [8000, 16000, 24000, 32000, 44100],
    bad: [...rates, ...notNumbers],
  },
  { path: ["sample_rate"], besides: { format: "wav" }, good: [8000, 44100], bad: rates },
  { path: ["sample_rate"], besides: { format: "mp3" }, good: [32000, 44100], bad: [...rates, 8000, 16000, 24000] },
  { path: ["sample_rate"], besides: { format: "opus" }, good: [48000], bad: [0, 8000, 16000, 24000, 32000, 44100] },
  {
    path: ["prosody"],
    good: [{}, { speed: null, volume: null }, { [CANARY]: 1 }],
    bad: [0, 1, true, "", CANARY, [], [1], [{}]],
  },
  { path: ["prosody", "speed"], ...number(0.5, 2) },
  { path: ["prosody", "volume"], ...number(-20, 20) },
  { path: ["prosody", "normalize_loudness"], ...booleans },
  { path: ["latency"], good: ["low", "balanced", "normal"], bad: [...notWords, "LOW", "fast", "low ", "none"] },
  { path: ["chunk_length"], ...integer(100, 300) },
  { path: ["min_chunk_length"], ...integer(0, 100) },
  { path: ["temperature"], ...number(0, 1) },
  { path: ["top_p"], ...number(0, 1) },
  { path: ["early_stop_threshold"], ...number(0, 1) },
  { path: ["repetition_penalty"], good: [1, 1.2], bad: notNumbers },
  { path: ["max_new_tokens"], good: [100, 1024], bad: [-1, -1e9, 0.5, ...notNumbers] },
  { path: ["normalize"], ...booleans },
  { path: ["condition_on_previous_chunks"], ...booleans },
  {
    path: ["features"],
    good: [[], ["quality-guard"], [CANARY, "x"]],
    bad: [0, true, "", CANARY, {}, [1], [null], [[CANARY]], [{}]],
  },
];

/** Numbers that only MessagePack can carry: no finite number, and whole numbers beyond the safe range. */
export const packedOddities: [name: string, value: unknown][] = [
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["2^64-1", 2n ** 64n - 1n],
  ["-2^63", -(2n ** 63n)],
  ["bytes", Buffer.from(CANARY)],
  ["a timestamp", new Date(0)],
];
