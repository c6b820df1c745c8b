import { type Role, roles as every } from "#protocol/bus/membership";
import type { LabelName } from "./labels.js";

/** One metric, as scrapers, `docs/metrics.md`, the dashboard and the alert rules know it. */
export interface MetricDeclaration {
  type: "counter" | "gauge" | "histogram";
  /** Who gives it. */
  roles: readonly Role[];
  help: string;
  labels: readonly LabelName[];
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const firstAudioSeconds = [0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10];
const turnSeconds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10];
const partSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const counter = (roles: readonly Role[], labels: readonly LabelName[], help: string) =>
  ({ type: "counter", roles, labels, help }) as const;
const gauge = (roles: readonly Role[], labels: readonly LabelName[], help: string) =>
  ({ type: "gauge", roles, labels, help }) as const;
const histogram = (roles: readonly Role[], labels: readonly LabelName[], buckets: readonly number[], help: string) =>
  ({ type: "histogram", roles, labels, buckets, help }) as const;

/** Every metric of Parley's own, declared once. Durations are in seconds; counters end in `_total`. */
export const metricCatalogue = {
  parley_bus_connected: gauge(every, [], "1 while connected to NATS."),
  parley_event_loop_stall_seconds: gauge(
    every,
    [],
    "Longest time since the last scrape in which the process answered nobody, because one piece of work held its event loop.",
  ),
  parley_spans_dropped_total: counter(
    every,
    [],
    "Spans that were not stored: the bus was away for long, or slower than they came.",
  ),

  parley_http_requests_total: counter(
    ["edge"],
    ["route", "method", "status"],
    "HTTP requests answered, by route pattern and status (499: the client left first).",
  ),
  parley_http_request_seconds: histogram(
    ["edge"],
    ["route"],
    requestSeconds,
    "Time from a request's head to the end of its answer.",
  ),
  parley_http_sent_bytes_total: counter(["edge"], ["route"], "Body bytes sent over HTTP, by route pattern."),
  parley_http_requests_active: gauge(["edge"], [], "HTTP requests being answered."),
  parley_websockets_open: gauge(["edge"], [], "WebSockets open."),
  parley_key_verdicts_total: counter(
    ["edge"],
    ["source"],
    "Keys verified, by where the answer came from: memory, redis or control-plane.",
  ),
  parley_members: gauge(
    ["edge"],
    ["member_role", "state"],
    "Members of the cluster that this edge knows, by role and state.",
  ),
  parley_streams_active: gauge(["edge"], ["route"], "Streams of speech being spoken, by route."),
  parley_streams_total: counter(
    ["edge"],
    ["route", "outcome"],
    "Streams of speech that are over, by route and outcome: completed, cancelled or failed.",
  ),
  parley_first_audio_seconds: histogram(
    ["edge"],
    ["route"],
    firstAudioSeconds,
    "From the text of the first chunk to the first bytes of audio.",
  ),
  parley_first_audio_part_seconds: histogram(
    ["edge"],
    ["part"],
    partSeconds,
    "Where the time to the first audio went: parse, queue, engine, return (both ways over the bus) and encode.",
  ),
  parley_audio_seconds_total: counter(["edge"], ["route"], "Audio given to clients, by route."),
  parley_transcriptions_active: gauge(["edge"], ["route"], "Audio files being transcribed, by route."),
  parley_transcriptions_total: counter(
    ["edge"],
    ["route", "outcome"],
    "Transcriptions that are over, by route and outcome: completed, cancelled or failed.",
  ),
  parley_transcribed_audio_seconds_total: counter(["edge"], ["route"], "Audio transcribed, by route."),
  parley_transcription_seconds: histogram(
    ["edge"],
    ["route"],
    requestSeconds,
    "From the complete upload to the transcript.",
  ),

  parley_scheduler_queued_chunks: gauge(["scheduler"], ["model"], "Chunks that wait for a worker, by model."),
  parley_scheduler_slots: gauge(
    ["scheduler"],
    ["model"],
    "Engine calls that the attached workers can run at once, by model.",
  ),
  parley_scheduler_free_slots: gauge(["scheduler"], ["model"], "Slots that are idle, by model."),
  parley_scheduler_predicted_wait_seconds: gauge(
    ["scheduler"],
    ["model"],
    "Predicted wait of a first chunk that is submitted now, by model.",
  ),
  parley_scheduler_running_batches: gauge(["scheduler"], [], "Batches that workers run."),
  parley_scheduler_queue_seconds: histogram(
    ["scheduler"],
    ["model"],
    partSeconds,
    "Time that a chunk waited before it was sent to a worker.",
  ),
  parley_scheduler_batch_chunks: histogram(
    ["scheduler"],
    ["model"],
    [1, 2, 4, 8, 16, 32, 64, 128],
    "Chunks in a batch.",
  ),
  parley_scheduler_verdicts_total: counter(
    ["scheduler"],
    ["verdict"],
    "Chunks not spoken, by verdict: refused (no room) or lost (its worker went away).",
  ),
  parley_scheduler_faults_total: counter(["scheduler"], [], "Errors that the scheduler survived; each is a defect."),

  parley_worker_slots: gauge(["worker"], [], "Engine calls that this worker can run at once."),
  parley_worker_running_chunks: gauge(["worker"], [], "Chunks being spoken or recognized."),
  parley_worker_broken_models: gauge(["worker"], [], "Models that could not be loaded."),
  parley_worker_chunks_total: counter(
    ["worker"],
    ["model", "outcome"],
    "Chunks that are over, by model and outcome: spoken, failed or cancelled.",
  ),
  parley_worker_engine_seconds: histogram(["worker"], ["model"], partSeconds, "Time that a chunk spent in its engine."),
  parley_worker_audio_seconds_total: counter(["worker"], ["model"], "Audio synthesized, by model."),
  parley_worker_recognized_chunks_total: counter(
    ["worker"],
    ["model", "outcome"],
    "Chunks of audio that are over, by model and outcome: recognized, failed or cancelled.",
  ),
  parley_worker_recognition_seconds: histogram(
    ["worker"],
    ["model"],
    partSeconds,
    "Time that a chunk of audio spent in its engine, the rest of its batch included.",
  ),
  parley_worker_audio_fetch_seconds: histogram(
    ["worker"],
    ["model"],
    partSeconds,
    "Time until a piece's samples had come from their owner.",
  ),
  parley_worker_recognized_audio_seconds_total: counter(["worker"], ["model"], "Audio recognized, by model."),

  parley_control_requests_total: counter(
    ["control-plane"],
    ["kind", "outcome"],
    "Requests answered, by kind and outcome: ok, refused (4xx) or failed (5xx).",
  ),
  parley_control_request_seconds: histogram(
    ["control-plane"],
    ["kind"],
    requestSeconds,
    "Time that an answer took, by kind of request.",
  ),
  parley_usage_settled_total: counter(
    ["control-plane"],
    ["outcome"],
    "Usage records that came off the bus: settled, repeated (known already) or dropped.",
  ),
  parley_usage_waiting: gauge(
    ["control-plane"],
    [],
    "Usage records on the bus that are not booked yet, as of the last batch.",
  ),
  parley_analytics_rows_total: counter(
    ["control-plane"],
    [],
    "Usage records given to the analytics engine, repetitions included.",
  ),
  parley_analytics_spans_total: counter(
    ["control-plane"],
    [],
    "Spans given to the analytics engine, repetitions included.",
  ),
  parley_analytics_waiting: gauge(
    ["control-plane"],
    [],
    "Usage records on the bus that the analytics engine does not have yet, as of the last batch.",
  ),

  parley_recordings_total: counter(
    ["control-plane"],
    ["outcome"],
    "Recordings of conversations that are over, by outcome: completed (their files are stored) or failed.",
  ),
  parley_recording_file_bytes_total: counter(["control-plane"], [], "Bytes of the files of finished recordings."),
  parley_recording_delays_total: counter(
    ["control-plane"],
    [],
    "Attempts to finish a recording that failed, because the object store was away, and are made again.",
  ),
  parley_recordings_deleted_total: counter(["control-plane"], [], "Recordings deleted because their time was over."),
  parley_object_store_requests_total: counter(
    ["control-plane"],
    ["method", "outcome"],
    "Requests to the S3 store, by method and outcome: ok (also for what is not there) or failed.",
  ),

  parley_recording_segments_total: counter(
    ["agent"],
    ["outcome"],
    "Segments of recordings, two seconds each, by outcome: stored, or lost (silence stands for them).",
  ),
  parley_recording_segment_bytes_total: counter(["agent"], [], "Bytes of the segments that were stored."),
  parley_recording_store_failures_total: counter(
    ["agent"],
    [],
    "Attempts to store a segment that failed and are made again.",
  ),
  parley_conversations_active: gauge(["agent"], [], "Conversations that this runtime holds."),
  parley_conversations_begun_total: counter(["agent"], [], "Conversations begun or taken over."),
  parley_conversations_over_total: counter(
    ["agent"],
    ["outcome"],
    "Conversations that this runtime holds no more: ended, handed-over (drained) or lost (another runtime has it).",
  ),
  parley_turn_seconds: histogram(
    ["agent"],
    [],
    turnSeconds,
    "From the caller's last voiced frame to the first audible one of the agent.",
  ),
  parley_turn_part_seconds: histogram(
    ["agent"],
    ["part"],
    partSeconds,
    "Where that time went: endpointing, recognition, model, clause, audio.",
  ),
  parley_tool_seconds: histogram(
    ["agent"],
    ["source", "outcome"],
    requestSeconds,
    "Time that a tool's answer took, by who runs it and outcome.",
  ),
  parley_test_runs_active: gauge(["agent"], [], "Agent tests that this runtime runs."),
  parley_test_runs_total: counter(
    ["agent"],
    ["outcome"],
    "Agent tests that this runtime ran, by outcome: passed, failed, error, or lost (another runtime has it, or it was given back).",
  ),
  parley_analyses_active: gauge(["agent"], [], "Calls that this runtime analyzes."),
  parley_analyses_total: counter(
    ["agent"],
    ["outcome"],
    "Calls that this runtime analyzed, by outcome: completed, skipped, error, or lost (another runtime has it, or it was given back).",
  ),
} as const satisfies Record<string, MetricDeclaration>;

type Catalogue = typeof metricCatalogue;

/** Names of the metrics of one type. */
export type MetricName<T extends MetricDeclaration["type"]> = {
  [N in keyof Catalogue]: Catalogue[N]["type"] extends T ? N : never;
}[keyof Catalogue];
