/** Published by every role, in batches, where spans are kept. Payload: `SpanBatch`. */
export const spansSubject = "parley.events.spans";

/**
 * Spans are kept on the bus until the analytics engine has them, a day at most. Without an engine nobody makes this
 * stream, and nothing piles up.
 */
export const spanStream = {
  name: "parley-spans",
  subjects: [spansSubject],
  maxAgeMs: 24 * 3600 * 1000,
  maxBytes: 256 * 1024 * 1024,
};

/**
 * A piece of work that is over, as it travels. `traceId` and `spanId` together make it one and the same however often
 * it comes.
 */
export interface SpanRecord {
  /** 32 lower-case hex characters. */
  traceId: string;
  /** 16 lower-case hex characters. */
  spanId: string;
  /** Null for the first of its trace. */
  parentSpanId: string | null;
  name: string;
  kind: "server" | "internal" | "consumer";
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  failed: boolean;
  /** Names from `spanAttributeNames` of common/tracing. */
  attributes: Record<string, string | number>;
}

/** What one process did lately. */
export interface SpanBatch {
  role: string;
  memberId: string;
  spans: SpanRecord[];
}

/** A span and whose it is. */
export interface StoredSpan extends SpanRecord {
  role: string;
  memberId: string;
}
