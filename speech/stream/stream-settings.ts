import type { ServiceTier } from "#protocol/bus/scheduling";
import type { Sampling, VoiceSettings } from "#protocol/speech/chunk";
import type { SpeakingModel } from "../voice/model.js";

/** How far ahead of its player a stream works. */
export interface Pacing {
  /** Audio that the player may have in store before more is synthesized; infinity where the whole file is wanted. */
  aheadMs: number;
  /** Chunks at work at once. */
  windowChunks: number;
}

/** The client plays audio while the rest is synthesized; when the user interrupts, work far ahead is wasted. */
export const livePacing: Pacing = { aheadMs: 4000, windowChunks: 4 };
/** A file is wanted as fast as it comes; its growing slack lets live streams go first. */
export const filePacing: Pacing = { aheadMs: Number.POSITIVE_INFINITY, windowChunks: 4 };

/** What stays the same over the life of a stream. */
export interface StreamSettings {
  streamId: string;
  /**
   * Models in order of preference: a chunk is spoken by the first that speaks its language. Never empty.
   */
  models: SpeakingModel[];
  /** Rate of all its audio, Hz; each model's own where absent. */
  sampleRate?: number;
  tier: ServiceTier;
  /** Whether it is part of a conversation that was admitted before. */
  isAdmitted: boolean;
  /** Whose stream it is, where teams share what there is. */
  teamId?: string;
  /** Longest predicted time to its first audio for which it is taken; the scheduler's own limit where absent. */
  mostWaitMs?: number;
  /** By speaker; a script that names a speaker beyond the list gets the first. Never empty. */
  voices: VoiceSettings[];
  /** Recordings that the voices name and that came with the stream, by id; none when absent. */
  prompts?: ReadonlyMap<string, Int16Array>;
  normalize: boolean;
  sampling: Sampling;
  /** Most samples per chunk; 0 is no limit. */
  maxSamples: number;
  /** Start of every chunk's seed: a digest of what the caller asked for (voice/seed.ts). */
  seedBase: string;
  traceparent: string | null;
  pacing: Pacing;
  /** First audio is wanted this soon after the text came. */
  firstAudioGoalMs: number;
}
