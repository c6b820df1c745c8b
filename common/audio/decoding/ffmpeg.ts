import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { ServiceError } from "#protocol/errors";
import { unreadable } from "./failures.js";
import type { MonoSink } from "./mono-sink.js";
import { decodeWavFrames, parseWavHeader, type WavHeader } from "./wav.js";

export interface FfmpegInput {
  bytes: Uint8Array;
  /** What the file is, for messages. */
  format: string;
  /** The only demuxer that ffmpeg may use, so that no file can pass for a playlist. */
  demuxer: string;
  maxSeconds: number;
}

/**
 * Decodes what no library here reads (AAC, ALAC, AMR, ...) with the ffmpeg program, where it is installed. It gets the bytes on its standard
 * input and may open nothing else; `cache:` lets it seek in them, as m4a files with their index at the end need.
 * Throws `unsupported_format` when ffmpeg is missing or cannot read the file.
 */
export async function decodeWithFfmpeg(input: FfmpegInput, sink: MonoSink): Promise<void> {
  const child = spawn(
    "ffmpeg",
    [
      // No single block of memory beyond this, whatever sizes a file's tables claim.
      ...["-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-max_alloc", String(64 * 1024 * 1024)],
      ...["-protocol_whitelist", "cache,pipe", "-read_ahead_limit", "-1", "-f", input.demuxer, "-i", "cache:pipe:0"],
      // One second more than allowed, so that longer files are seen to be longer.
      ...["-map", "0:a:0", "-t", String(input.maxSeconds + 1), "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"],
    ],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const ended = once(child, "close").then(
    ([code]) => code as number | null,
    (error: unknown) => error as NodeJS.ErrnoException,
  );
  // ffmpeg may stop reading before the end; that is its right.
  child.stdin.on("error", () => undefined);
  child.stderr.resume();
  child.stdin.end(input.bytes);
  try {
    await readWav(child, sink);
    const outcome = await ended;
    if (outcome instanceof Error) throw missing(input.format, outcome);
    if (outcome !== 0) throw unreadable(`${input.format} that ffmpeg cannot read`);
  } finally {
    child.kill("SIGKILL");
  }
}

function missing(format: string, cause: NodeJS.ErrnoException): ServiceError {
  if (cause.code !== "ENOENT") return new ServiceError("internal", { cause });
  return unreadable(`${format} needs ffmpeg, which is not installed on this server`, "ffmpeg_missing", cause);
}

/** Reads ffmpeg's WAV as it comes: only the sink keeps samples. */
async function readWav(child: ChildProcessWithoutNullStreams, sink: MonoSink): Promise<void> {
  let header: WavHeader | null = null;
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    if (header === null) {
      header = parseWavHeader(waiting);
      if (header === null) continue;
      waiting = waiting.subarray(header.dataOffset);
    }
    waiting = waiting.subarray(decodeWavFrames(header, waiting, sink));
  }
}
