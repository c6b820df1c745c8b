// SPDX-License-Identifier: GPL-3.0-or-later
import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { type FailedMessage, frame, frameKind, HEADER_BYTES, jsonFrame, type SpeakMessage } from "../framing.js";
import { loadSynthesizer, type Synthesizer } from "./synthesizer.js";

/**
 * Speaks one text after the other. Requests come on descriptor 0, answers go out on 1; job ids to cancel come on 3 (u32
 * each). It blocks on its pipes: between texts nothing else wants this thread, and every piece of audio leaves while
 * the next is made. The end of descriptor 0, which the worker's death brings about too, ends the process.
 */
const REQUESTS = 0;
const ANSWERS = 1;
const CANCELS = 3;

process.title = "parley-espeak";
// Ctrl-C and the end of a terminal reach this process too: what it is saying is to be finished, and the worker ends it.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

function writeAll(bytes: Uint8Array): void {
  let sent = 0;
  while (sent < bytes.length) sent += writeSync(ANSWERS, bytes, sent);
}

function readExactly(length: number): Buffer | null {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const count = readSync(REQUESTS, bytes, got, length - got, null);
    if (count === 0) return null;
    got += count;
  }
  return bytes;
}

const cancelBytes = Buffer.alloc(4 * 64);
let highestCancelled = 0;

/**
 * Looks, without waiting, whether a job has been cancelled. Ids only grow, so the highest seen is all there is to know.
 */
function isCancelled(jobId: number): boolean {
  try {
    const count = readSync(CANCELS, cancelBytes, 0, cancelBytes.length, null);
    for (let at = 0; at + 4 <= count; at += 4)
      highestCancelled = Math.max(highestCancelled, cancelBytes.readUInt32LE(at));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
  }
  return highestCancelled >= jobId;
}

function speak(synthesizer: Synthesizer, message: SpeakMessage): void {
  let cancelled = isCancelled(message.jobId);
  if (!cancelled) {
    synthesizer.speak(message, (samples, marks) => {
      if (marks.length > 0) writeAll(jsonFrame(frameKind.marks, marks));
      if (samples.length > 0)
        writeAll(frame(frameKind.samples, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)));
      cancelled = isCancelled(message.jobId);
      return cancelled;
    });
  }
  writeAll(jsonFrame(frameKind.done, { jobId: message.jobId, cancelled }));
  synthesizer.purge();
}

function serve(synthesizer: Synthesizer): void {
  writeAll(jsonFrame(frameKind.ready, { sampleRate: synthesizer.sampleRate, languages: synthesizer.languages }));
  for (;;) {
    const header = readExactly(HEADER_BYTES);
    const payload = header === null ? null : readExactly(header.readUInt32LE(0));
    if (payload === null) return;
    const message = JSON.parse(payload.toString()) as SpeakMessage;
    try {
      speak(synthesizer, message);
    } catch (error) {
      writeAll(jsonFrame(frameKind.failed, { jobId: message.jobId, reason: reasonOf(error) } satisfies FailedMessage));
      // Its memory may be in any state now; a fresh process is cheap.
      return;
    }
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}

// Opening the descriptor as a socket makes it non-blocking; it is never read through the socket.
const cancels = new Socket({ fd: CANCELS, readable: true, writable: false });
cancels.pause();

try {
  serve(await loadSynthesizer());
} catch (error) {
  try {
    writeAll(jsonFrame(frameKind.failed, { jobId: null, reason: reasonOf(error) } satisfies FailedMessage));
  } catch {
    // The worker is gone and with it the reader of the reason.
  }
  process.exit(1);
}
process.exit(0);
