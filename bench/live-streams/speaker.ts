import { setTimeout as delay } from "node:timers/promises";
import { durationMs, findOnset, MP3_KILOBITS_PER_SECOND, type Onset } from "../audible.js";
import { arrivalOf, type LiveSocket, openStream } from "../live-socket.js";
import type { GeneratorTask, StreamReport } from "./messages.js";
import { STORE_MS } from "./messages.js";
import { playBack } from "./player.js";
import { streamEnd } from "./stream-end.js";

/** Enough of a stream to find its first audible sample in. */
const STORED_BYTES = 16 * 1024;

/** One finished stream, before it is looked at. */
export interface SpokenStream {
  text: number;
  intendedAtMs: number;
  problem: string | null;
  endedAtMs: number;
  socket: LiveSocket | null;
}

/** Speaks one text, its first word at `intendedAtMs` whatever happened before; never rejects. */
export async function speakAt(
  task: GeneratorTask,
  text: { index: number; words: string },
  intendedAtMs: number,
): Promise<SpokenStream> {
  const { audio, wordsPerSecond } = task;
  const mp3 = audio.format === "mp3" ? { mp3_bitrate: MP3_KILOBITS_PER_SECOND } : {};
  const spoken = { text: text.index, intendedAtMs };
  await delay(Math.max(0, intendedAtMs - task.headStartMs - performance.now()));
  try {
    const socket = await openStream(
      { ...task, request: { format: audio.format, sample_rate: audio.sampleRate, ...mp3 } },
      STORED_BYTES,
    );
    const words = wordsPerSecond === null ? [text.words] : text.words.split(/(?<= )/);
    for (const [i, word] of words.entries()) {
      await delay(Math.max(0, intendedAtMs + (i * 1000) / (wordsPerSecond ?? 1) - performance.now()));
      socket.send(word);
    }
    socket.stop();
    const problem = await socket.over;
    return { ...spoken, socket, problem, endedAtMs: socket.finishedAtMs() ?? performance.now() };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...spoken, socket: null, problem, endedAtMs: performance.now() };
  }
}

/** Finds onsets, each text's once: equal texts make equal audio. */
export class Onsets {
  readonly #known = new Map<number, Promise<Onset | null>>();

  constructor(private readonly audio: GeneratorTask["audio"]) {}

  of(text: number, bytes: Uint8Array): Promise<Onset | null> {
    const known = this.#known.get(text) ?? findOnset(bytes, this.audio);
    this.#known.set(text, known);
    return known;
  }
}

/** What the player heard. */
export async function reportOf(
  stream: SpokenStream,
  audio: GeneratorTask["audio"],
  onsets: Onsets,
  beginMs: number,
): Promise<StreamReport> {
  const { text, problem, socket, intendedAtMs, endedAtMs } = stream;
  const nothing = { underruns: 0, stalledMs: 0 };
  const times = { text, dueMs: intendedAtMs - beginMs, endedMs: Math.max(0, endedAtMs - intendedAtMs) };
  const failed = { ...times, firstAudioMs: Number.NaN, audioMs: 0, plain: nothing, stored: nothing };
  if (problem !== null || socket === null) {
    const receivedBytes = socket?.arrivals.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
    return { ...failed, problem: problem ?? "no connection", end: streamEnd(problem, receivedBytes) };
  }
  const onset = await onsets.of(text, socket.audio());
  if (onset === null) return { ...failed, problem: "the audio is silence", end: "failed" };
  const received = socket.arrivals.map(({ atMs, bytes }) => ({ atMs, durationMs: durationMs(bytes, audio) }));
  const [plain, stored] = [0, STORE_MS].map((preBufferMs) =>
    playBack(received, { silenceMs: onset.leadingMs, preBufferMs }),
  );
  const first = arrivalOf(onset.neededBytes, socket.arrivals);
  return {
    ...times,
    problem,
    end: "spoken",
    firstAudioMs: (first?.atMs ?? Number.NaN) - intendedAtMs,
    audioMs: received.reduce((sum, one) => sum + one.durationMs, 0),
    plain: { underruns: plain?.underruns ?? 0, stalledMs: plain?.stalledMs ?? 0 },
    stored: { underruns: stored?.underruns ?? 0, stalledMs: stored?.stalledMs ?? 0 },
  };
}
