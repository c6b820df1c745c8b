import type { TraceContext } from "./traceparent.js";

/**
 * Everything that may be told about a span. A closed list of ids, names and counts: what people say, their keys and the
 * addresses of their audio have no place to go. HTTP names are OpenTelemetry's
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
 */
export interface SpanAttributes {
  "http.request.method"?: string;
  /** The route's pattern, never the path. */
  "http.route"?: string;
  "http.response.status_code"?: number;
  /** The id of the team whose key or session a request showed. */
  "parley.team"?: string;
  "parley.outcome"?: "completed" | "spoken" | "recognized" | "failed" | "cancelled" | "dispatched";
  "parley.model"?: string;
  "parley.chunk_index"?: number;
  "parley.attempt"?: number;
  "parley.worker"?: string;
  "parley.batch_size"?: number;
  "parley.characters"?: number;
  "parley.audio_ms"?: number;
  "parley.first_audio_ms"?: number;
}

/** Every name of `SpanAttributes`: nothing else is stored. */
export const spanAttributeNames = Object.keys({
  "http.request.method": true,
  "http.route": true,
  "http.response.status_code": true,
  "parley.team": true,
  "parley.outcome": true,
  "parley.model": true,
  "parley.chunk_index": true,
  "parley.attempt": true,
  "parley.worker": true,
  "parley.batch_size": true,
  "parley.characters": true,
  "parley.audio_ms": true,
  "parley.first_audio_ms": true,
} satisfies Record<keyof SpanAttributes, true>);

export type SpanName =
  | `HTTP ${string}`
  | `WebSocket ${string}`
  | `control-plane ${string}`
  /** A spoken request at the edge, from its plan to its last audio. */
  | "speak"
  /** A file's transcription at the edge, from its decoding to its last words. */
  | "transcribe"
  /** A chunk's wait in a scheduler. */
  | "schedule chunk"
  /** An engine's work on a chunk. */
  | "speak chunk"
  | "recognize chunk";

/** Work that is over. */
export interface FinishedSpan {
  name: SpanName;
  kind: "server" | "internal" | "consumer";
  context: TraceContext;
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  failed: boolean;
  attributes: SpanAttributes;
}

/** Where spans go. */
export interface Tracing {
  /** False when spans go nowhere: callers then make no span at all. */
  readonly enabled: boolean;
  /** Takes a span and returns at once; spans of traces that their caller does not sample are dropped. */
  record(span: FinishedSpan): void;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

export const noTracing: Tracing = { enabled: false, record: () => undefined, close: () => Promise.resolve() };

/** Gives every span to all of several receivers. */
export function toAll(receivers: readonly Tracing[]): Tracing {
  const enabled = receivers.filter((receiver) => receiver.enabled);
  if (enabled.length < 2) return enabled[0] ?? noTracing;
  return {
    enabled: true,
    record: (span) => enabled.forEach((receiver) => receiver.record(span)),
    close: async () => void (await Promise.all(enabled.map((receiver) => receiver.close()))),
  };
}

/** Wall-clock time that never runs backwards within a process, as spans want it: milliseconds since the epoch. */
export function spanNowMs(): number {
  return performance.timeOrigin + performance.now();
}
