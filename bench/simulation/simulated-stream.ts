import type { ServiceTier } from "#protocol/bus/scheduling";
import { defaultSampling, neutralDelivery } from "#protocol/speech/chunk";
import { loadConfig } from "#common/config/config";
import type { ChunkText } from "#speech/chunking/chunker";
import { filePacing, livePacing, type StreamSettings } from "#speech/stream/stream-settings";
import { Player } from "./player.js";

/** How a stream ended. */
export type StreamEnd = "completed" | "refused" | "failed";

/** One stream at its edge: what has to be spoken, what its player hears. */
export interface SimulatedStream {
  readonly id: string;
  readonly tier: ServiceTier;
  /** Characters of each chunk. */
  readonly chunks: readonly number[];
  readonly arrivedAtMs: number;
  readonly player: Player;
  refusals: number;
  end: StreamEnd | null;
  endedAtMs: number;
  /** Audio over time until the stream was first as far ahead as edges allow, or complete. */
  speed: number | null;
}

export function newStream(facts: Pick<SimulatedStream, "id" | "tier" | "chunks" | "arrivedAtMs">): SimulatedStream {
  return { ...facts, player: new Player(), refusals: 0, end: null, endedAtMs: 0, speed: null };
}

const firstAudioGoalMs = loadConfig({}).PARLEY_FIRST_AUDIO_GOAL_MS;
const text = "x".repeat(1000);

/**
 * The stream as the product's edge would open it: a socket's for the live tiers, a file's for bulk. `liveWaitMs` is the
 * longest predicted wait of a socket's; null is that of the others.
 */
export function settingsOf({ id, tier }: SimulatedStream, liveWaitMs: number | null): StreamSettings {
  return {
    streamId: id,
    models: [{ name: "voice", languages: ["*"] }],
    tier,
    isAdmitted: false,
    voices: [{ speaker: null, language: null, speed: 1, traits: null }],
    normalize: true,
    sampling: defaultSampling,
    maxSamples: 0,
    seedBase: "",
    traceparent: null,
    pacing: tier === "bulk" ? filePacing : livePacing,
    firstAudioGoalMs,
    ...(tier === "bulk" || liveWaitMs === null ? {} : { mostWaitMs: liveWaitMs }),
  };
}

/** The whole text of a stream, chunk by chunk. */
export function chunksOf({ chunks }: SimulatedStream): ChunkText[] {
  const spoken = { speaker: 0, delivery: neutralDelivery, pauseBeforeMs: 0, pauseAfterMs: 0 };
  return chunks.map((characters) => ({ text: text.slice(0, characters), ...spoken }));
}
