import { availableParallelism } from "node:os";
import { createEncoderPool } from "#common/audio/encoding/pool";
import { measureVoiceSample } from "#common/audio/voice/measure-sample";
import { combineTraits } from "#common/audio/voice/traits";
import type { Metrics } from "#common/metrics/registry";
import { UnauthenticatedSockets } from "../authentication/unauthenticated-sockets.js";
import { createSpeechMetrics } from "../metrics/speech-metrics.js";
import type { SpeechContext } from "./session/context.js";
import { InlineVoices } from "./voice/inline-voices.js";
import { SavedVoices } from "./voice/saved-voices.js";

export type OpenSpeechOptions = Omit<SpeechContext, "encoders" | "unauthenticatedSockets" | "savedVoices" | "inlineVoices" | "metrics"> & { metrics: Metrics };

/** Opens what the speaking routes need, with real encoders. Close it before the bus. */
export function openSpeech({ metrics, ...given }: OpenSpeechOptions): { context: SpeechContext; close(): Promise<void> } {
  // One core is left to the event loop.
  const encoders = createEncoderPool({ threads: Math.min(4, availableParallelism()) });
  return {
    context: {
      ...given,
      encoders,
      unauthenticatedSockets: new UnauthenticatedSockets(),
      savedVoices: new SavedVoices(given.bus, given.clock),
      inlineVoices: new InlineVoices(measureVoiceSample, combineTraits),
      metrics: createSpeechMetrics(metrics),
    },
    close: () => encoders.close(),
  };
}
