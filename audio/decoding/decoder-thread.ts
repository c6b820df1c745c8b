import type { MessagePort } from "node:worker_threads";
import { move, transferableSymbol, valueSymbol } from "piscina";
import type { MeasuredSample } from "#protocol/bus/samples";
import { type ErrorRecord, toErrorRecord } from "#protocol/errors";
import { workInBackground } from "#common/threads/background";
import { measureVoiceBytes } from "../voice/measure-bytes.js";
import { type DecodeBounds, decodeBytes, decodeThrough } from "./decode-bytes.js";
import { unreadable } from "../unreadable.js";
import { createMonoFlow, type DecodedAudio, type DecodedFacts, joined } from "./mono-sink.js";
import { GRANTED, LEFT } from "./decoder-signals.js";

// Functions of a decoder thread, called by name through piscina. They answer errors as records: an Error loses its
// class between threads.

workInBackground();

// The decoders print each fault of a stranger's file here; the caller gets one error that says what matters.
console.error = () => undefined;

/** Answer of every function here. */
export type Answer<T> = { value: T } | { error: ErrorRecord };

export async function decode({
  bytes,
  bounds,
}: {
  bytes: Uint8Array;
  bounds: DecodeBounds;
}): Promise<Answer<DecodedAudio>> {
  try {
    const decoded = await decodeBytes(bytes, bounds);
    return moved({ value: decoded }, decoded.pcm.samples);
  } catch (error) {
    return { error: toErrorRecord(error) };
  }
}

export async function measure({ bytes }: { bytes: Uint8Array }): Promise<Answer<MeasuredSample>> {
  try {
    return { value: await measureVoiceBytes(bytes) };
  } catch (error) {
    return { error: toErrorRecord(error) };
  }
}

export interface SurveyTask {
  bytes: Uint8Array;
  minSeconds: number;
  maxSeconds: number;
  sampleRate: number;
  /** Audio up to this length is given with the facts. */
  keepSeconds: number;
}

export interface Survey {
  facts: DecodedFacts;
  /** The whole audio when it is short, else null: then `bytes` are the file again. */
  samples: Int16Array | null;
  bytes: Uint8Array | null;
}

/** Decodes a file once to learn how long it really is: nothing is done for a file that will be refused. */
export async function survey({
  bytes,
  minSeconds,
  maxSeconds,
  sampleRate,
  keepSeconds,
}: SurveyTask): Promise<Answer<Survey>> {
  try {
    let parts: Int16Array[] = [];
    let kept = 0;
    let isShort = true;
    const keep = (samples: Int16Array): boolean => {
      kept += samples.length;
      isShort = kept <= keepSeconds * sampleRate;
      if (isShort) parts.push(samples);
      else parts = [];
      return isShort;
    };
    const facts = await decodeThrough(bytes, { maxSeconds, sampleRate }, (format) =>
      createMonoFlow({ format, maxSeconds, sampleRate }, keep),
    );
    if (facts.seconds < minSeconds) throw unreadable(`shorter than ${minSeconds} second`, "too_short");
    const samples = isShort ? joined(parts) : null;
    return moved({ value: { facts, samples, bytes: isShort ? null : bytes } }, samples ?? bytes);
  } catch (error) {
    return { error: toErrorRecord(error) };
  }
}

export interface PiecesTask {
  bytes: Uint8Array;
  maxSeconds: number;
  sampleRate: number;
  /** Samples in a piece. */
  pieceSamples: number;
  /** Takes the pieces, then null. */
  port: MessagePort;
  /** Int32 cells of decoder-signals.ts. */
  signals: Int32Array;
}

/**
 * Decodes a file again and posts its audio in pieces, each when there is leave for it: until then the thread stands
 * still.
 */
export async function pieces({
  bytes,
  maxSeconds,
  sampleRate,
  pieceSamples,
  port,
  signals,
}: PiecesTask): Promise<Answer<null>> {
  let parts: Int16Array[] = [];
  let held = 0;
  const post = (from: number): void => {
    const samples = joined(parts);
    held = samples.length;
    for (let at = 0; at < samples.length && held >= from; at += pieceSamples) {
      const piece = samples.slice(at, at + pieceSamples);
      held -= piece.length;
      awaitLeave(signals);
      port.postMessage(piece, [piece.buffer]);
    }
    parts = held > 0 ? [samples.slice(samples.length - held)] : [];
  };
  const collect = (samples: Int16Array): boolean => {
    parts.push(samples);
    held += samples.length;
    if (held >= pieceSamples) post(pieceSamples);
    return true;
  };
  try {
    await decodeThrough(bytes, { maxSeconds, sampleRate }, (format) =>
      createMonoFlow({ format, maxSeconds, sampleRate }, collect),
    );
    post(1);
    return { value: null };
  } catch (error) {
    return { error: toErrorRecord(error) };
  } finally {
    port.postMessage(null);
    port.close();
  }
}

/** Blocks until the reader has granted a piece. Throws when it has left. */
function awaitLeave(signals: Int32Array): void {
  while (Atomics.load(signals, GRANTED) <= 0 && Atomics.load(signals, LEFT) === 0) Atomics.wait(signals, GRANTED, 0);
  if (Atomics.load(signals, LEFT) !== 0) throw unreadable("nobody wants it any more");
  Atomics.sub(signals, GRANTED, 1);
}

/** The answer with the memory of its audio or file handed over instead of copied. */
function moved<T>(answer: Answer<T>, memory: Uint8Array | Int16Array): Answer<T> {
  return move({ [transferableSymbol]: [memory.buffer], [valueSymbol]: answer } as never) as unknown as Answer<T>;
}
