import { ServiceError } from "#protocol/errors";
import { unreadable } from "../unreadable.js";
import { decodeWithFfmpeg } from "./ffmpeg.js";
import { decodeFlac } from "./flac.js";
import { createMonoSink, type DecodedAudio, type MonoSink } from "./mono-sink.js";
import { decodeMp3 } from "./mp3.js";
import { decodeOpus } from "./opus.js";
import { openOggOpus, openWebmOpus } from "./opus-track.js";
import { type Sniffed, sniffAudio } from "./sniff.js";
import { decodeVorbis } from "./vorbis.js";
import { decodeWav } from "./wav.js";

export interface DecodeBounds {
  /** Longest audio allowed, in seconds that really come out of the decoder. */
  maxSeconds: number;
  /** Rate wanted, Hz; null keeps the file's own. */
  sampleRate: number | null;
}

/** Decodes a whole file on this thread; see `decodeAudio`, which runs it on another. */
export function decodeBytes(bytes: Uint8Array, bounds: DecodeBounds): Promise<DecodedAudio> {
  return decodeThrough(bytes, bounds, (format) => createMonoSink({ ...bounds, format }));
}

/**
 * Runs a whole file through the sink that `openSink` makes for its format, and gives what the sink's `finish` gives.
 * Throws `unsupported_format`, and what the sink throws as a ServiceError.
 */
export async function decodeThrough<T>(
  bytes: Uint8Array,
  bounds: DecodeBounds,
  openSink: (format: string) => MonoSink & { finish(): T },
): Promise<T> {
  const sniffed = sniffAudio(bytes);
  if (sniffed === null) throw unreadable("the file is not audio in any format that is known here");
  const sink = openSink(sniffed.format);
  try {
    await decodeInto(sink, bytes.subarray(sniffed.offset), sniffed, bounds.sampleRate);
    return sink.finish();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // Decoders throw whatever they like at damaged files: the file is at fault, not the service.
    throw unreadable(`${sniffed.format} that is damaged`, undefined, error);
  }
}

async function decodeInto(
  sink: MonoSink,
  bytes: Uint8Array,
  sniffed: Sniffed,
  sampleRate: number | null,
): Promise<void> {
  const { format } = sniffed;
  if ("demuxer" in sniffed) return decodeWithFfmpeg({ bytes, format, demuxer: sniffed.demuxer }, sink);
  if ("channels" in sniffed) return decodeMp3(bytes, sniffed.channels, sink);
  switch (format) {
    case "wav":
      return decodeWav(bytes, sink);
    case "flac":
    case "ogg-flac":
      return decodeFlac(bytes, format, sink);
    case "vorbis":
      return decodeVorbis(bytes, sink);
    case "opus":
    case "webm": {
      const track = format === "opus" ? openOggOpus(bytes) : openWebmOpus(bytes);
      const isOurs = track !== null && track.channels <= 2;
      if (isOurs) return decodeOpus(track, sampleRate, sink);
      return decodeWithFfmpeg({ bytes, format, demuxer: format === "webm" ? "matroska" : "ogg" }, sink);
    }
  }
}
