import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeWithFfmpeg, runProgram } from "./audio.js";
import { samplesToBytes } from "#audio/pcm";

/**
 * What pocketsphinx with Debian's general English model recognizes: a recognizer that is not ours and knows none of our
 * voices. Audio above 5.5 kHz is cut off first, where formant synthesis has energy that its training data lacks.
 */
export async function recognize(audio: Uint8Array, inputArguments: string[] = []): Promise<string> {
  const { samples } = await decodeWithFfmpeg(audio, { sampleRate: 16_000, inputArguments });
  const filtered = await runProgram(
    "ffmpeg",
    [
      "-loglevel",
      "error",
      "-nostdin",
      "-f",
      "s16le",
      "-ar",
      "16000",
      "-ac",
      "1",
      "-i",
      "pipe:0",
      "-af",
      "lowpass=f=5500,volume=0.5",
      "-f",
      "s16le",
      "pipe:1",
    ],
    samplesToBytes(samples),
  );
  const directory = mkdtempSync(join(tmpdir(), "parley-recognizer-"));
  try {
    const file = join(directory, "sentence.raw");
    writeFileSync(file, filtered);
    const recognized = await runProgram(
      "pocketsphinx_continuous",
      ["-infile", file, "-logfn", "/dev/null"],
      new Uint8Array(),
    );
    return Buffer.from(recognized).toString().trim().replace(/\s+/g, " ");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Word errors (substitutions, insertions, deletions) of `heard` against `said`, by edit distance. */
export function wordErrors(said: string, recognized: string): { errors: number; words: number } {
  const reference = wordsOf(said);
  const hypothesis = wordsOf(recognized);
  let row = hypothesis.map((_, index) => index + 1);
  row.unshift(0);
  for (const [index, word] of reference.entries()) {
    const next = [index + 1];
    for (const [column, other] of hypothesis.entries()) {
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return { errors: row.at(-1)!, words: reference.length };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}
