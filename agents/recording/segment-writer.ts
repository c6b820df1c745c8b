import { encodeSegment, recordingEndName, type RecordingSegment, recordingSegmentName } from "#protocol/bus/recording";
import type { ObjectBucket } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import type { Logger } from "#common/log";
import type { RecordingMetrics } from "./recording-metrics.js";

/** Between two attempts to store, while the object store is away. */
const RETRY_MS = 1000;
/** Segments that wait for the object store; of those beyond it nothing remains but silence. */
const MOST_WAITING = 300;

export interface SegmentWriterOptions {
  objects: Pick<ObjectBucket, "put">;
  clock: Clock;
  log: Logger;
  metrics: RecordingMetrics;
  sessionId: string;
  attempt: number;
}

/** Stores the segments of one recording, in order, each as soon as the one before is stored. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #notice = new FailureNotice();
  #waiting: Uint8Array[] = [];
  #stored = 0;
  #isWriting = false;
  #isOver = false;
  #settled: (() => void)[] = [];

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  write(segment: RecordingSegment): void {
    if (this.#isOver) return;
    if (this.#waiting.length >= MOST_WAITING) {
      const full = new Error("too many segments of a recording wait for the object store");
      if (this.#notice.isNews(full)) this.#options.log.error({ err: full }, "a part of a recording is lost");
      return this.lose(1);
    }
    this.#waiting.push(encodeSegment(segment));
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Notes that so many segments will never be stored. */
  lose(segments: number): void {
    if (segments > 0) this.#options.metrics.lost(segments);
  }

  /** Resolves when all that was written so far is stored, or never will be. */
  settled(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Says, behind all segments, that no more of them come. Rejects where the object store is away. */
  async end(): Promise<void> {
    const { objects, sessionId, attempt } = this.#options;
    if (!this.#isOver) await objects.put(recordingEndName(sessionId, attempt), new Uint8Array(0));
  }

  /** Stores no more. */
  close(): void {
    this.#isOver = true;
    this.lose(this.#waiting.length);
    this.#waiting = [];
  }

  async #writeAll(): Promise<void> {
    const { objects, clock, log, metrics, sessionId, attempt } = this.#options;
    this.#isWriting = true;
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      try {
        await objects.put(recordingSegmentName(sessionId, attempt, this.#stored), bytes);
        this.#stored++;
        metrics.stored(bytes.byteLength);
        this.#waiting.shift();
        this.#notice.clear();
      } catch (error) {
        metrics.failed();
        if (this.#notice.isNews(error)) log.warn({ err: error }, "a recording could not be stored yet; trying on");
        await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
      }
    }
    this.#isWriting = false;
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
