import { unreadable } from "../unreadable.js";
import { parseWavHeader, readWavFrames, type WavFormat } from "../wav-format.js";
import type { MonoSink } from "./mono-sink.js";

/** Decodes whole frames of `bytes` into the sink and gives the number of bytes used. */
export function decodeWavFrames(format: WavFormat, bytes: Uint8Array, sink: MonoSink): number {
  for (const planes of readWavFrames(format, bytes)) sink.add(planes, format.sampleRate);
  const frameBytes = format.bytesPerSample * format.channels;
  return Math.floor(bytes.length / frameBytes) * frameBytes;
}

/** Decodes a RIFF/WAVE file, however long its header says it is. */
export function decodeWav(bytes: Uint8Array, sink: MonoSink): void {
  const header = parseWavHeader(bytes);
  if (header === null) throw unreadable("wav without samples");
  const end = Math.min(bytes.length, header.dataOffset + header.dataBytes);
  decodeWavFrames(header, bytes.subarray(header.dataOffset, end), sink);
}
