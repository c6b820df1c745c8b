import { spawn } from "node:child_process";
import type { Pcm } from "#audio/pcm";
import { bytesToSamples } from "#audio/pcm";

/**
 * Decodes any audio with ffmpeg — not with our own decoders, which are under test — to mono at `sampleRate`. Rejects
 * when ffmpeg complains at all.
 */
export async function decodeWithFfmpeg(
  bytes: Uint8Array,
  options: { sampleRate?: number; inputArguments?: string[] } = {},
): Promise<Pcm> {
  const sampleRate = options.sampleRate ?? 16_000;
  const output = await runProgram(
    "ffmpeg",
    [
      "-loglevel",
      "error",
      "-nostdin",
      ...(options.inputArguments ?? []),
      "-i",
      "pipe:0",
      "-f",
      "s16le",
      "-ac",
      "1",
      "-ar",
      String(sampleRate),
      "pipe:1",
    ],
    bytes,
  );
  return { samples: bytesToSamples(output), sampleRate };
}

/**
 * Runs a program with `input` on its standard input; gives its output, rejects on a failure exit or anything on
 * standard error.
 */
export function runProgram(command: string, args: string[], input: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const output: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on("data", (data: Buffer) => output.push(data));
    child.stderr.on("data", (data: Buffer) => complaints.push(data));
    child.on("error", reject);
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") reject(error);
    });
    child.on("close", (code) => {
      const complaint = Buffer.concat(complaints).toString().trim();
      if (code === 0 && complaint === "") resolve(Buffer.concat(output));
      else reject(new Error(`${command} exited with ${code}: ${complaint}`));
    });
    child.stdin.end(bytesOf(input));
  });
}

function bytesOf(input: Uint8Array): Buffer {
  return Buffer.from(input.buffer, input.byteOffset, input.byteLength);
}

/** Length in seconds. */
export function durationSeconds(pcm: Pcm): number {
  return pcm.samples.length / pcm.sampleRate;
}

/** Root mean square of the samples, 1 is full scale. Speech lies around 0.05 to 0.2, silence below 0.001. */
export function loudness(pcm: Pcm): number {
  let sum = 0;
  for (const sample of pcm.samples) sum += (sample / 32768) ** 2;
  return Math.sqrt(sum / Math.max(1, pcm.samples.length));
}

/** Share of 20 ms frames that hold audio (above -50 dB). */
export function soundingShare(pcm: Pcm): number {
  const frameSamples = Math.round(pcm.sampleRate / 50);
  let sounding = 0;
  let frames = 0;
  for (let start = 0; start + frameSamples <= pcm.samples.length; start += frameSamples, frames++) {
    if (loudness({ samples: pcm.samples.subarray(start, start + frameSamples), sampleRate: pcm.sampleRate }) > 0.003)
      sounding++;
  }
  return frames === 0 ? 0 : sounding / frames;
}
