/**
 * What the worker and its speech process say to each other over pipes: length-prefixed frames, JSON except for samples.
 */

/** Frame: u32 little-endian payload length, u8 kind, payload. */
export const HEADER_BYTES = 5;

/** A frame larger than this is not ours: the stream is out of step. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** Longest text of one call, UTF-8 bytes after escaping. */
export const MAX_TEXT_BYTES = 48 * 1024;

export const frameKind = { ready: 1, speak: 2, marks: 3, samples: 4, done: 5, failed: 6 } as const;

/** First frame of a process that can speak. `languages`: BCP-47 tag, lower case, to voice identifier. */
export interface ReadyMessage {
  sampleRate: number;
  languages: Record<string, string>;
}

/** One text to speak. */
export interface SpeakMessage {
  jobId: number;
  /** Voice identifier, with `+variant` where there is one. */
  voice: string;
  /** Words per minute; 175 is the voice's own rate. */
  rate: number;
  /** 0 to 99, 50 is the voice's own. */
  pitch: number;
  /** 0 to 99, 50 is the voice's own. */
  range: number;
  /** Escaped for the engine's markup. */
  text: string;
  /** Whether phoneme marks are wanted besides words. */
  phonemes: boolean;
}

/** `at`: position in the escaped text, code points from 0; `atMs`: time from the first sample. */
export type Mark =
  | { kind: "word"; at: number; length: number; atMs: number }
  | { kind: "phoneme"; at: number; ipa: string; atMs: number };

export interface DoneMessage {
  jobId: number;
  cancelled: boolean;
}

export interface FailedMessage {
  /** Null when the process cannot speak at all. */
  jobId: number | null;
  reason: string;
}

/** One frame in one buffer, so that it leaves in one write. */
export function frame(kind: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.byteLength);
  bytes.writeUInt32LE(payload.byteLength, 0);
  bytes.writeUInt8(kind, 4);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

export function jsonFrame(kind: number, value: object): Buffer {
  return frame(kind, Buffer.from(JSON.stringify(value)));
}

/** Puts frames together from the pieces that a pipe delivers. Throws `RangeError` when the stream is out of step. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Takes bytes; hands on every frame completed by them. Payloads are views that live only during the call. */
  push(bytes: Buffer, onFrame: (kind: number, payload: Buffer) => void): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (data.length >= HEADER_BYTES) {
      const length = data.readUInt32LE(0);
      if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes`);
      if (data.length < HEADER_BYTES + length) break;
      onFrame(data.readUInt8(4), data.subarray(HEADER_BYTES, HEADER_BYTES + length));
      data = data.subarray(HEADER_BYTES + length);
    }
    // Copied: the pipe's buffer is not ours to keep.
    this.#rest = Buffer.from(data);
  }
}
