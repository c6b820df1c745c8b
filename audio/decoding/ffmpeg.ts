import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { ServiceError } from "#protocol/errors";
import { unreadable } from "../unreadable.js";
import type { MonoSink } from "./mono-sink.js";
import { parseWavHeader, type WavHeader } from "../wav-format.js";
import { decodeWavFrames } from "./wav.js";

export interface FfmpegInput {
  bytes: Uint8Array;
  /** What the file is, for messages. */
  format: string;
  /** The only demuxer that ffmpeg may use, so that no file can pass for a playlist. */
  demuxer: string;
}

/** Address space that ffmpeg may have, in the kibibytes of `ulimit`; its libraries alone take some 300,000. */
const MAX_ADDRESS_SPACE_KIB = 1024 * 1024;
/** Exit status of a shell that did not find the program. */
const NOT_FOUND = 127;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Decodes what no library here reads (AAC, ALAC, AMR, ...) with the ffmpeg program, where it is installed. It gets the
 * bytes on its standard input and may open nothing else; `cache:` lets it seek in them, as m4a files with their index
 * at the end need. Its memory is limited by the shell that starts it, where the system can do that. Throws
 * `unsupported_format` when ffmpeg is missing or cannot read the file.
 */
export async function decodeWithFfmpeg({ bytes, format, demuxer }: FfmpegInput, sink: MonoSink): Promise<void> {
  const child = start([
    // No single block of memory beyond this, whatever sizes a file's tables claim.
    ...["-nostdin", "-hide_banner", "-loglevel", "quiet", "-threads", "1", "-max_alloc", String(64 * 1024 * 1024)],
    ...["-protocol_whitelist", "cache,pipe", "-read_ahead_limit", "-1", "-f", demuxer, "-i", "cache:pipe:0"],
    // No limit of time: it would count by the file's own clock. The sink counts what comes out.
    ...["-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"],
  ]);
  const ended = once(child, "close").then(
    ([code]) => code as number | null,
    (error: unknown) => error as NodeJS.ErrnoException,
  );
  // ffmpeg may stop reading before the end; that is its right.
  child.stdin.on("error", () => undefined);
  child.stdin.end(bytes);
  try {
    await readWav(child, sink);
    const outcome = await ended;
    if (outcome instanceof Error) throw new ServiceError("internal", { cause: outcome });
    if (outcome === NOT_FOUND)
      throw unreadable(`${format} needs ffmpeg, which is not installed on this server`, "ffmpeg_missing");
    if (outcome !== 0) throw unreadable(`${format} that ffmpeg cannot read`);
  } finally {
    child.kill("SIGKILL");
  }
}

/**
 * In a session of its own: Ctrl-C would end ffmpeg in the middle of a file. Linux shares the processor among sessions,
 * whatever the priority of their processes (sched(7), "The autogroup feature"); so the session itself takes the
 * priority of the thread that waits for it.
 */
function start(args: readonly string[]): Child {
  const script = `ulimit -v ${MAX_ADDRESS_SPACE_KIB} 2>/dev/null; { nice > /proc/self/autogroup; } 2>/dev/null; exec ffmpeg "$@"`;
  return spawn("/bin/sh", ["-c", script, "ffmpeg", ...args], { stdio: ["pipe", "pipe", "ignore"], detached: true });
}

/** Reads ffmpeg's WAV as it comes: only the sink keeps samples. */
async function readWav(child: Child, sink: MonoSink): Promise<void> {
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
