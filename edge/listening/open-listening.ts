import { closeSoundThreads, openSound } from "#common/audio/decoding/open-sound";
import { openSoundBus } from "#common/listening/sound-bus";
import type { ClusterView } from "#common/membership/cluster-view";
import type { Metrics } from "#common/metrics/registry";
import { createTranscriptionMetrics } from "../metrics/transcription-metrics.js";
import type { ListeningContext } from "./context.js";
import { UploadBudget } from "./upload-budget.js";

/** Audio files of all requests that one edge holds at once; a form takes up to three times its size for a moment. */
const MAX_UPLOADED_BYTES = 128 * 1024 * 1024;

export type OpenListeningOptions = Omit<ListeningContext, "openSound" | "uploads" | "sound" | "metrics"> & {
  cluster: ClusterView;
  edgeId: string;
  metrics: Metrics;
};

/** Opens what the transcribing routes need, with real ears and decoders. Close it before the bus. */
export function openListening({ cluster, edgeId, metrics, ...given }: OpenListeningOptions): { context: ListeningContext; close(): Promise<void> } {
  const { bus, clock } = given;
  const sound = openSoundBus({ bus, clock, ownerId: edgeId, cluster });
  return {
    context: { ...given, sound, openSound, uploads: new UploadBudget(MAX_UPLOADED_BYTES, clock), metrics: createTranscriptionMetrics(metrics) },
    async close() {
      sound.close();
      await closeSoundThreads();
    },
  };
}
