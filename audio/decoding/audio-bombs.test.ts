import { afterAll, beforeAll, expect, it } from "vitest";
import {
  flacBomb,
  freeFormatMp3Bomb,
  mp3Bomb,
  oggFlacBomb,
  oggOfManyStreams,
  opusBomb,
  vorbisBomb,
  webmBomb,
} from "../testing/audio-bombs.js";
import { ffmpeg, ffmpegEncode } from "../testing/ffmpeg.js";
import { tone } from "../testing/signals.js";
import { measureVoiceSample } from "../voice/measure-sample.js";
import { closeDecoderThreads } from "./decoder-pool.js";
import { openAudio } from "./open-audio.js";

/** What three bombs at once may add to the memory of a process whose decoders have all worked before, MB. */
const MAX_GROWTH_MB = 200;
const MAX_SECONDS = 60;
const MB = 2 ** 20;

const silence = (seconds: number, args: string[]): Uint8Array =>
  ffmpeg(["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", String(seconds), ...args, "pipe:1"], new Uint8Array(0));
const open = async (bytes: Uint8Array): Promise<void> => {
  const options = { minSeconds: 1, maxSeconds: MAX_SECONDS, sampleRate: 16_000, signal: new AbortController().signal };
  const { pieces } = await openAudio(Uint8Array.from(bytes), options);
  for await (const _ of pieces);
};

/** What becomes of three calls at once, and by how much the process grew meanwhile. */
async function attack(call: () => Promise<unknown>): Promise<{ outcomes: (string | null)[]; grownMb: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const outcome = (error: { code: string; reason: string | null }): string => error.reason ?? error.code;
  const outcomes = await Promise.all([1, 2, 3].map(() => call().then(() => null, outcome)));
  clearInterval(timer);
  return { outcomes, grownMb: Math.round((Math.max(most, process.memoryUsage.rss()) - before) / MB) };
}

beforeAll(async () => {
  const encodings = [
    ["flac", "flac"],
    ["libmp3lame", "mp3"],
    ["libopus", "ogg"],
    ["libvorbis", "ogg"],
    ["libopus", "webm"],
    ["aac", "adts"],
  ];
  for (const [codec = "", container = ""] of encodings) {
    const bytes = ffmpegEncode(tone(440, 30, 48_000), 48_000, ["-c:a", codec, "-f", container]);
    await Promise.all([1, 2, 3].map(() => open(bytes)));
  }
}, 120_000);
afterAll(closeDecoderThreads);

const bombs: [name: string, make: () => Uint8Array, outcome: string][] = [
  [
    "13 KB of FLAC that are a gigabyte of samples",
    () => flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 }),
    "too_long",
  ],
  [
    "the same, of which the header says two seconds",
    () => flacBomb({ frames: 500, channels: 8, sampleRate: 48_000, claimedSamples: 96_000 }),
    "too_long",
  ],
  ["FLAC at 8 kHz", () => flacBomb({ frames: 5000, channels: 1, sampleRate: 8000 }), "too_long"],
  ["FLAC in Ogg", () => oggFlacBomb({ frames: 5000, channels: 8, sampleRate: 48_000 }), "too_long"],
  ["Opus of empty frames", () => opusBomb({ packets: 200_000, channels: 2 }), "too_long"],
  [
    "Opus whose pages say that it lasts a second",
    () => opusBomb({ packets: 200_000, channels: 2, claimedGranule: 48_000 }),
    "too_long",
  ],
  ["Vorbis of one-byte packets", () => vorbisBomb({ packets: 200_000, channels: 8 }), "too_long"],
  [
    "Vorbis whose pages say that it is over",
    () => vorbisBomb({ packets: 200_000, channels: 1, claimedGranule: 100 }),
    "too_long",
  ],
  ["Vorbis of 255 channels", () => vorbisBomb({ packets: 200_000, channels: 255 }), "unsupported_format"],
  ["MP3 at 8 kb/s", () => mp3Bomb(200_000), "too_long"],
  ["MP3 of frames that no decoder can find", () => freeFormatMp3Bomb(10_000), "too_short"],
  ["WebM of laced blocks that claims a thousand years", () => webmBomb(10_000), "too_long"],
  ["Ogg of thousands of streams", () => oggOfManyStreams(100_000), "unsupported_format"],
  ["WAV of silence as large as may be", () => silence(2600, ["-c:a", "pcm_mulaw", "-f", "wav"]), "too_long"],
  ["AAC", () => silence(4000, ["-c:a", "aac", "-b:a", "8k", "-f", "adts"]), "too_long"],
];

it.each(bombs)("%s does no harm", async (_, make, outcome) => {
  const bytes = make();
  const { outcomes, grownMb } = await attack(() => open(bytes));
  expect(outcomes).toEqual([outcome, outcome, outcome]);
  // Each call has a file of its own.
  expect(grownMb).toBeLessThan(MAX_GROWTH_MB + (3 * bytes.length) / MB);
});

it("measuring a reference is bounded in the same way", async () => {
  const bomb = flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 });
  const { outcomes, grownMb } = await attack(() => measureVoiceSample(bomb));
  expect(outcomes).toEqual(["bad_reference_audio", "bad_reference_audio", "bad_reference_audio"]);
  expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
});
