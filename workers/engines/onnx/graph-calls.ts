import type { ModelFolder } from "../../repository/folder.js";
import type { RunningParts, ThreadKind } from "../model-threads.js";
import type { VoiceLayout } from "./layouts/layout.js";
import type { SessionPool } from "./session-pool.js";
import type { Piece } from "./symbols.js";
import type { SpokenRow, VoiceFiles, WindowSpeech } from "./thread.js";
import type { GraphCall, WindowFrames } from "./voice-graph.js";

/**
 * Length of a row's first window. About 20 ms of it are silence that is cut; what is left must last until the rest is
 * computed. The windows' margins are most of the work: 96 ms take as long.
 */
const FIRST_WINDOW_MS = 128;
/**
 * A row of at least this length has a second window: where others use the processor too, its rest takes longer than the
 * first one lasts.
 */
const LONG_ROW_MS = 3000;
const SECOND_WINDOW_MS = 512;

/** What one row of a call is made of. */
export interface Row {
  piece: Piece;
  speakerId: number;
  /** Change of pitch after the graph; 1 leaves it. */
  pitchRatio: number;
  whisper: boolean;
}

/** The loaded graph of a voice. */
export interface VoiceCalls {
  layout: VoiceLayout;
  /** True where several rows in one call are faster than one after the other. */
  batches: boolean;
  /** Runs the graph once, on the threads for all work when `threads` is absent; all rows share the scales. */
  run(rows: readonly Row[], scales: number[], threads?: ThreadKind): Promise<SpokenRow[]>;
  /**
   * Speaks one row window by window, each given as soon as it is made; null where the graph speaks a row in one call only.
   * Pitch and whisper are changed after the graph as a whole: rows with either are not for windows.
   */
  speakWindows: ((call: WindowedRow) => RunningParts) | null;
}

export interface WindowedRow {
  row: Row;
  scales: number[];
  threads: ThreadKind;
  onWindow(window: WindowSpeech): void;
}

/** Calls a voice's graph in the pool. */
export function voiceCalls(options: {
  model: ModelFolder;
  pool: SessionPool;
  voice: VoiceFiles;
  providers: readonly string[];
  layout: VoiceLayout;
  batches: boolean;
  hasWindows: boolean;
}): VoiceCalls {
  const { model, pool, voice, providers, layout, batches, hasWindows } = options;
  const { hop_length: hopLength, audio } = layout.config;
  const graphCall = (rows: readonly Row[], scales: number[]): GraphCall => {
    const longest = Math.max(...rows.map(({ piece }) => piece.ids.length));
    // Padding to a bucket keeps the number of shapes small, which only accelerators care for.
    const bucket = model.manifest.buckets.find((candidate) => candidate >= longest) ?? longest;
    return {
      rows: rows.map(({ piece }) => piece.ids),
      scales,
      speakerIds: rows.map(({ speakerId }) => speakerId),
      padTo: batches ? bucket : 0,
      hopLength,
      ...layout.rowInputs(rows),
    };
  };
  const framesOf = (ms: number): number => Math.max(1, Math.round(((ms / 1000) * audio.sample_rate) / hopLength));
  const windows: WindowFrames = {
    first: framesOf(FIRST_WINDOW_MS),
    second: framesOf(SECOND_WINDOW_MS),
    longRow: framesOf(LONG_ROW_MS),
  };
  return {
    layout,
    batches,
    async run(rows, scales, threads = "general") {
      const changes = rows.map(({ pitchRatio, whisper }) => ({ pitchRatio, whisper }));
      const call = graphCall(rows, scales);
      return await pool.speak({ voice, providers, call, sampleRate: audio.sample_rate, changes }, threads);
    },
    speakWindows: hasWindows
      ? ({ row, scales, threads, onWindow }) =>
          pool.speakWindows({ voice, providers, call: graphCall([row], scales), windows }, threads, onWindow)
      : null,
  };
}
