import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { decodeAudio } from "#audio/decoding/decode";
import { samplesToBytes } from "#audio/pcm";
import { ffmpegEncode } from "#audio/testing/ffmpeg";
import type { TranscriptionScenario } from "../scenarios.js";

/** A recording: as a client sends it, and as samples at `RECOGNITION_RATE`. */
export interface Recording {
  name: string;
  bytes: Uint8Array;
  samples: Int16Array;
}

const encoders: [ending: string, args: string[]][] = [
  ["wav", ["-f", "wav"]],
  ["flac", ["-c:a", "flac", "-f", "flac"]],
  ["mp3", ["-c:a", "libmp3lame", "-b:a", "48k", "-f", "mp3"]],
  ["ogg", ["-c:a", "libopus", "-b:a", "24k", "-f", "ogg"]],
];

const clips = join(import.meta.dirname, "../../../workers/engines/ctc/testing/clips");

/** Recordings of human speech with pauses, of mixed lengths and formats: the same for one seed. */
export async function makeRecordings({
  files,
  shortestSeconds,
  longestSeconds,
  seed,
}: Pick<TranscriptionScenario, "files" | "shortestSeconds" | "longestSeconds" | "seed">): Promise<Recording[]> {
  const random = generator(seed);
  const names = readFileSync(join(clips, "sentences.tsv"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
  const voices = await Promise.all(
    names.map((name) => decodeAudio(readFileSync(join(clips, name)), { maxSeconds: 60, sampleRate: RECOGNITION_RATE })),
  );
  return Array.from({ length: files }, (_, index) => {
    // Short ones are many: lengths are spread evenly over their logarithm.
    const seconds = shortestSeconds * (longestSeconds / shortestSeconds) ** random();
    const parts: Uint8Array[] = [];
    for (let length = 0; length < seconds * RECOGNITION_RATE; ) {
      const voice = voices[Math.floor(random() * voices.length)]?.pcm.samples ?? new Int16Array(1);
      const pause = new Int16Array(Math.round((0.1 + 1.2 * random()) * RECOGNITION_RATE));
      parts.push(samplesToBytes(voice), samplesToBytes(pause));
      length += voice.length + pause.length;
    }
    const bytes = Buffer.concat(parts);
    const samples = new Int16Array(
      bytes.buffer,
      bytes.byteOffset,
      Math.min(bytes.byteLength / 2, Math.round(seconds * RECOGNITION_RATE)),
    ).slice();
    const [ending, args] = encoders[index % encoders.length] as [string, string[]];
    return { name: `${index}.${ending}`, bytes: ffmpegEncode(samples, RECOGNITION_RATE, args), samples };
  });
}

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
