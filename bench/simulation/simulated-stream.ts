import type { ServiceTier } from "#protocol/bus/scheduling";
import { defaultSampling, neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { Player } from "./player.js";

/** How a stream ended. */
export type StreamEnd = "completed" | "refused" | "failed";

/** One stream at its edge: what has to be spoken, what is under way, what its listener hears. */
export interface SimulatedStream {
  readonly id: string;
  readonly tier: ServiceTier;
  /** Characters of each chunk. */
  readonly chunks: readonly number[];
  readonly arrivedAtMs: number;
  readonly player: Player;
  /** Chunks submitted whose audio has not come, with their attempt. */
  readonly inFlight: Map<number, number>;
  /** Chunks whose audio has come before that of an earlier one. */
  readonly early: Map<number, number>;
  schedulerId: string | null;
  nextToSubmit: number;
  nextToReceive: number;
  refusals: number;
  end: StreamEnd | null;
  endedAtMs: number;
  /** Audio over time until the stream was first as far ahead as edges allow, or complete. */
  speed: number | null;
}

export function newStream(facts: Pick<SimulatedStream, "id" | "tier" | "chunks" | "arrivedAtMs">): SimulatedStream {
  return {
    ...facts,
    player: new Player(),
    inFlight: new Map(),
    early: new Map(),
    schedulerId: null,
    nextToSubmit: 0,
    nextToReceive: 0,
    refusals: 0,
    end: null,
    endedAtMs: 0,
    speed: null,
  };
}

const text = "x".repeat(1000);
const voice = { speaker: null, language: null, speed: 1, traits: null };

export function chunkOf(stream: SimulatedStream, ownerId: string, chunkIndex: number, attempt: number): SpeechChunk {
  return {
    task: "speak",
    streamId: stream.id,
    chunkIndex,
    attempt,
    ownerId,
    model: "voice",
    text: text.slice(0, stream.chunks[chunkIndex] ?? 1),
    normalize: true,
    voice,
    delivery: neutralDelivery,
    sampling: defaultSampling,
    pauseAfterMs: 0,
    seed: 0,
    maxSamples: 0,
    traceparent: null,
  };
}
