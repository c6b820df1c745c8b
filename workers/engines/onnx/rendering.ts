import type { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult } from "../engine.js";
import type { ChunkShaper } from "../shaping.js";
import type { Row, VoiceCalls } from "./graph-calls.js";
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
  const { sample_rate: sampleRate } = calls.layout.config.audio;
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
        const threads = group[0]?.job.reserved === true ? "reserved" : "general";
        const spoken = await calls.run(rows, group[0]?.scales ?? [], threads);
        for (const [i, rendering] of group.entries())
          emitRow(rendering, rendering.pieces[round] as Piece, spoken[i] as SpokenRow, sampleRate);
      } catch (error) {
        for (const { job } of group) results.set(job, { result: "failed", error, retryable: true });
      }
    }
  }
}

function emitRow(rendering: Rendering, piece: Piece, row: SpokenRow, sampleRate: number): void {
  const { job, timer, shaper } = rendering;
  const startMs = toMs(rendering.rawSamples, sampleRate);
  const words = idStarts(piece, row).flatMap(({ symbolIndex, share }) => {
    const range = piece.symbols[symbolIndex]?.range ?? { start: 0, end: 0 };
    return timer.mark({ range, atMs: startMs + toMs(row.samples.length * share, sampleRate) });
  });
  rendering.rawSamples += row.samples.length;
  const samples = shaper.push(row.samples);
  if (!job.signal.aborted)
    job.emit({ samples, words: words.map((word) => shaper.place(word)).filter((word) => word !== null) });
}

function finish({ job, timer, shaper, rawSamples }: Rendering, sampleRate: number): ChunkResult {
  const words = timer.finish(toMs(rawSamples, sampleRate)).map((word) => shaper.place(word));
  const pause = shaper.finish();
  if (pause.length > 0 || words.length > 0) job.emit({ samples: pause, words: words.filter((word) => word !== null) });
  return { result: "spoken", samples: shaper.samples };
}

function toMs(samples: number, sampleRate: number): number {
  return (samples / sampleRate) * 1000;
}

/**
 * Where each sounding symbol begins, as a share of the piece's audio: from the graph's frame counts, else by equal
 * shares.
 */
function idStarts(piece: Piece, row: SpokenRow): { symbolIndex: number; share: number }[] {
  const weights = piece.ids.map((_, i) => row.frames?.[i] ?? (piece.symbolOfId[i] === -1 ? 0 : 1));
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
