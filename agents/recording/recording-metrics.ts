import type { Metrics } from "#common/metrics/registry";

/** What a runtime counts of the segments that it records. */
export interface RecordingMetrics {
  stored(bytes: number): void;
  /** In place of so many there is silence. */
  lost(segments: number): void;
  /** An attempt to store failed; it is made again. */
  failed(): void;
}

export function createRecordingMetrics(metrics: Metrics): RecordingMetrics {
  const segments = metrics.counter("parley_recording_segments_total");
  const storedBytes = metrics.counter("parley_recording_segment_bytes_total");
  const failures = metrics.counter("parley_recording_store_failures_total");
  return {
    stored(bytes) {
      segments({ outcome: "stored" });
      storedBytes({}, bytes);
    },
    lost: (count) => segments({ outcome: "lost" }, count),
    failed: () => failures({}),
  };
}
