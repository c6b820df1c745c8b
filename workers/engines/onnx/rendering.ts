import type { WordTiming } from "#protocol/speech/chunk";
import type { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult } from "../engine.js";
import type { RunningParts, ThreadKind } from "../model-threads.js";
import type { ChunkShaper } from "../shaping.js";
import type { Row, VoiceCalls, WindowedRow } from "./graph-calls.js";
import type { Piece } from "./symbols.js";
import type { SpokenRow } from "./thread.js";

/** One chunk on its way through the graph. */
export interface Rendering extends Omit<Row, "piece"> {
  job: ChunkJob;
  pieces: Piece[];
  scales: number[];
  timer: WordTimer;
  shaper: ChunkShaper;
  /** Samples before shaping. */
  rawSamples: number;
}

/**
 * Speaks the renderings and writes each result when it is known: round after round, the next piece of every rendering
 * that still has one.
 */
export async function renderAll(
  calls: VoiceCalls,
  renderings: readonly Rendering[],
  results: Map<ChunkJob, ChunkResult>,
): Promise<void> {
  const { audio, hop_length: hopLength } = calls.layout.config;
  const sampleRate = audio.sample_rate;
  for (let round = 0; ; round++) {
    const going = renderings.filter(({ job }) => !results.has(job));
    if (going.length === 0) return;
    for (const rendering of going) {
      if (rendering.job.signal.aborted) results.set(rendering.job, { result: "cancelled" });
      else if (round >= rendering.pieces.length || rendering.shaper.full)
        results.set(rendering.job, finish(rendering, sampleRate));
    }
    for (const group of groupByScales(going.filter(({ job }) => !results.has(job))).values()) {
      try {
        const rows = group.map((rendering) => ({ ...rendering, piece: rendering.pieces[round] as Piece }));
        const [first] = rows;
        if (first !== undefined && calls.speakWindows !== null && round === 0 && beginsInWindow(first)) {
          await speakInWindows(calls.speakWindows, group[0] as Rendering, first.piece, { sampleRate, hopLength });
          continue;
        }
        const spoken = await calls.run(rows, first?.scales ?? [], threadsOf(first?.job));
        for (const [i, rendering] of group.entries())
          emitRow(rendering, rendering.pieces[round] as Piece, spoken[i] as SpokenRow, sampleRate);
      } catch (error) {
        for (const { job } of group) results.set(job, { result: "failed", error, retryable: true });
      }
    }
  }
}

/**
 * Whether the client waits for the chunk's first samples: they then come before the rest is computed, which costs the
 * margins of the windows. That depends on the chunk alone, as the next attempt must give the same samples.
 */
function beginsInWindow({ job, pitchRatio, whisper }: Rendering): boolean {
  return job.chunk.chunkIndex === 0 && pitchRatio === 1 && !whisper;
}

async function speakInWindows(
  speakWindows: (call: WindowedRow) => RunningParts,
  rendering: Rendering,
  piece: Piece,
  { sampleRate, hopLength }: { sampleRate: number; hopLength: number },
): Promise<void> {
  const { job, scales, shaper } = rendering;
  // The words of the whole row go with its first samples, as they are known before they sound.
  const words: WordTiming[] = [];
  const emit = (samples: Int16Array): void => {
    if (!job.signal.aborted) job.emit({ samples, words: placed(words.splice(0), shaper) });
  };
  const speaking = speakWindows({
    row: { ...rendering, piece },
    scales,
    threads: threadsOf(job),
    onWindow({ samples, frames }) {
      if (rendering.rawSamples === 0) {
        const rowSamples = frames.reduce((sum, count) => sum + count, 0) * hopLength;
        words.push(...markWords(rendering, piece, frames, toMs(rowSamples, sampleRate), sampleRate));
      }
      rendering.rawSamples += samples.length;
      const heard = shaper.push(samples);
      // Silence at the start is cut: a window may be nothing else.
      if (heard.length > 0) emit(heard);
    },
  });
  job.signal.addEventListener("abort", speaking.stop);
  try {
    await speaking.done;
    if (words.length > 0) emit(new Int16Array(0));
  } finally {
    job.signal.removeEventListener("abort", speaking.stop);
  }
}

function emitRow(rendering: Rendering, piece: Piece, row: SpokenRow, sampleRate: number): void {
  const { job, shaper } = rendering;
  const words = markWords(rendering, piece, row.frames, toMs(row.samples.length, sampleRate), sampleRate);
  rendering.rawSamples += row.samples.length;
  const samples = shaper.push(row.samples);
  if (!job.signal.aborted) job.emit({ samples, words: placed(words, shaper) });
}

/** The words that are known with a row that comes next and lasts `rowMs`. */
function markWords(
  { timer, rawSamples }: Rendering,
  piece: Piece,
  frames: SpokenRow["frames"],
  rowMs: number,
  sampleRate: number,
): WordTiming[] {
  const startMs = toMs(rawSamples, sampleRate);
  return idStarts(piece, frames).flatMap(({ symbolIndex, share }) => {
    const range = piece.symbols[symbolIndex]?.range ?? { start: 0, end: 0 };
    return timer.mark({ range, atMs: startMs + rowMs * share });
  });
}

function placed(words: readonly WordTiming[], shaper: ChunkShaper): WordTiming[] {
  return words.map((word) => shaper.place(word)).filter((word) => word !== null);
}

function finish({ job, timer, shaper, rawSamples }: Rendering, sampleRate: number): ChunkResult {
  const words = timer.finish(toMs(rawSamples, sampleRate)).map((word) => shaper.place(word));
  const pause = shaper.finish();
  if (pause.length > 0 || words.length > 0) job.emit({ samples: pause, words: words.filter((word) => word !== null) });
  return { result: "spoken", samples: shaper.samples };
}

function threadsOf(job: ChunkJob | undefined): ThreadKind {
  return job?.reserved === true ? "reserved" : "general";
}

function toMs(samples: number, sampleRate: number): number {
  return (samples / sampleRate) * 1000;
}

/**
 * Where each sounding symbol begins, as a share of the piece's audio: from the graph's frame counts, else by equal
 * shares.
 */
function idStarts(piece: Piece, frames: SpokenRow["frames"]): { symbolIndex: number; share: number }[] {
  const weights = piece.ids.map((_, i) => frames?.[i] ?? (piece.symbolOfId[i] === -1 ? 0 : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const starts: { symbolIndex: number; share: number }[] = [];
  let before = 0;
  let last = -1;
  for (const [i, weight] of weights.entries()) {
    const symbolIndex = piece.symbolOfId[i] ?? -1;
    const sounds = symbolIndex > last && /[\p{L}\p{N}]/u.test(piece.symbols[symbolIndex]?.symbol ?? "");
    if (sounds) starts.push({ symbolIndex, share: before / total });
    last = Math.max(last, symbolIndex);
    before += weight;
  }
  return starts;
}

/** Rows of one call share its scales. */
function groupByScales(renderings: readonly Rendering[]): Map<string, Rendering[]> {
  const groups = new Map<string, Rendering[]>();
  for (const rendering of renderings) {
    const key = rendering.scales.join(" ");
    groups.set(key, [...(groups.get(key) ?? []), rendering]);
  }
  return groups;
}
