import { spawnSync } from "node:child_process";
import { bytesToSamples, samplesToBytes } from "../pcm.js";

/** Runs ffmpeg on bytes; throws with its own words when it fails or complains. */
export function ffmpeg(args: string[], input: Uint8Array): Uint8Array {
  const result = spawnSync("ffmpeg", ["-hide_banner", "-loglevel", "error", ...args], { input, maxBuffer: 2 ** 28 });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0 || result.stderr.length > 0) throw new Error(`ffmpeg: ${result.stderr.toString()}`);
  return result.stdout;
}

/** Decodes any file to mono samples at `sampleRate`. */
export function ffmpegDecode(bytes: Uint8Array, sampleRate: number, inputArgs: string[] = []): Int16Array {
  return bytesToSamples(
    ffmpeg([...inputArgs, "-i", "pipe:0", "-f", "s16le", "-ac", "1", "-ar", String(sampleRate), "pipe:1"], bytes),
  );
}

/** Encodes mono samples with ffmpeg's own encoders, for decoder tests. */
export function ffmpegEncode(samples: Int16Array, sampleRate: number, outputArgs: string[]): Uint8Array {
  return ffmpeg(
    ["-f", "s16le", "-ac", "1", "-ar", String(sampleRate), "-i", "pipe:0", ...outputArgs, "pipe:1"],
    samplesToBytes(samples),
  );
}
