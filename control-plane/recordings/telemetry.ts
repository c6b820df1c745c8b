import type { Metrics } from "#common/metrics/registry";

/** What a control plane counts of recordings. */
export interface RecordingTelemetry {
  /** There are files, of so many bytes together, or will be none. */
  finished(outcome: "completed" | "failed", bytes: number): void;
  /** It could not be finished now, and is tried again. */
  delayed(): void;
  deleted(): void;
}

/** Watches nothing. */
export const noRecordingTelemetry: RecordingTelemetry = {
  finished: () => undefined,
  delayed: () => undefined,
  deleted: () => undefined,
};

export function createRecordingTelemetry(metrics: Metrics): RecordingTelemetry {
  const recordings = metrics.counter("parley_recordings_total");
  const writtenBytes = metrics.counter("parley_recording_file_bytes_total");
  const delays = metrics.counter("parley_recording_delays_total");
  const deletions = metrics.counter("parley_recordings_deleted_total");
  return {
    finished(outcome, bytes) {
      recordings({ outcome });
      writtenBytes({}, bytes);
    },
    delayed: () => delays({}),
    deleted: () => deletions({}),
  };
}
