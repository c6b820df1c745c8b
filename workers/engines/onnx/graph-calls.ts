import type { ModelFolder } from "../../repository/folder.js";
import type { ThreadKind } from "../model-threads.js";
import type { VoiceLayout } from "./layouts/layout.js";
import type { SessionPool, SpeakCall } from "./session-pool.js";
import type { Piece } from "./symbols.js";
import type { SpokenRow } from "./thread.js";

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
}

/** Calls a voice's graph in the pool. */
export function voiceCalls(voice: {
  model: ModelFolder;
  pool: SessionPool;
  graphPath: string;
  providers: readonly string[];
  layout: VoiceLayout;
  batches: boolean;
}): VoiceCalls {
  const { layout, batches, providers, graphPath } = voice;
  const { hop_length: hopLength, audio } = layout.config;
  return {
    layout,
    batches,
    async run(rows, scales, threads = "general") {
      const longest = Math.max(...rows.map(({ piece }) => piece.ids.length));
      // Padding to a bucket keeps the number of shapes small, which only accelerators care for.
      const bucket = voice.model.manifest.buckets.find((candidate) => candidate >= longest) ?? longest;
      const call: SpeakCall = {
        path: graphPath,
        providers,
        call: {
          rows: rows.map(({ piece }) => piece.ids),
          scales,
          speakerIds: rows.map(({ speakerId }) => speakerId),
          padTo: batches ? bucket : 0,
          hopLength,
          ...layout.rowInputs(rows),
        },
        sampleRate: audio.sample_rate,
        changes: rows.map(({ pitchRatio, whisper }) => ({ pitchRatio, whisper })),
      };
      return await voice.pool.speak(call, threads);
    },
  };
}
