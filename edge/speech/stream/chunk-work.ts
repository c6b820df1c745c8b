import type { ServiceError } from "#protocol/errors";
import type { SpeechChunk, VoiceSettings } from "#protocol/speech/chunk";
import type { SpokenPiece } from "../chunking/chunker.js";
import { chunkSeed } from "../voice/seed.js";
import { quietLimitMs } from "./recovery.js";
import { Reception } from "./reception.js";
import type { StreamSettings } from "./stream-settings.js";

/** `put-back` is waiting to be submitted again; unlike `waiting` it is not subject to pacing. */
export type ChunkState = "waiting" | "submitted" | "put-back" | "complete";

/** One unfinished chunk of a stream: what is to be spoken, where it is at work, what has come of it. */
export class ChunkWork {
  readonly reception = new Reception();
  readonly textBytes: number;
  state: ChunkState = "waiting";
  /** Number of the latest submission; 0 before the first. */
  attempt = 0;
  /** Attempts that failed by themselves, as opposed to those lost with a scheduler or the bus. */
  failures = 0;
  schedulerId: string | null = null;
  /** A scheduler that was silent about this chunk. */
  avoid: string | null = null;
  firstSubmittedAtMs = 0;
  quietUntilMs = 0;
  offerAtMs = 0;
  /** Since when no role takes it and keeps it, and what to say if that lasts; null while all is well. */
  trouble: { sinceMs: number; error: ServiceError } | null = null;
  /** Whether its sound has begun to be given. */
  started = false;
  heardOf = false;
  readonly #context: { settings: StreamSettings; edgeId: string };

  constructor(
    readonly piece: SpokenPiece,
    readonly chunkIndex: number,
    readonly addedAtMs: number,
    context: { settings: StreamSettings; edgeId: string },
  ) {
    this.#context = context;
    this.textBytes = Buffer.byteLength(piece.text);
  }

  /** Whether a report about `attempt` concerns the submission that is out now. */
  isCurrent(attempt: number): boolean {
    return this.state === "submitted" && attempt === this.attempt;
  }

  /** Samples that came and were not given yet: all of them until the chunk's turn comes. */
  get untakenSamples(): number {
    return this.started ? 0 : this.reception.samples;
  }

  /** Notes a submission; gives the chunk to send. */
  submitted(schedulerId: string, nowMs: number, quietMs: number): SpeechChunk {
    if (this.attempt === 0) this.firstSubmittedAtMs = nowMs;
    this.attempt++;
    this.state = "submitted";
    this.schedulerId = schedulerId;
    this.avoid = null;
    this.quietUntilMs = nowMs + quietMs;
    return this.#chunk();
  }

  /** Takes it back for another attempt, not before `offerAtMs`. */
  putBack(offerAtMs: number): void {
    this.state = "put-back";
    this.offerAtMs = offerAtMs;
  }

  /** Notes that the outage goes on; the newest error is the one to show. */
  troubled(nowMs: number, error: ServiceError): void {
    this.trouble = { sinceMs: this.trouble?.sinceMs ?? nowMs, error };
  }

  /** New sound came. */
  progressed(nowMs: number): void {
    this.heardOf = true;
    this.trouble = null;
    this.quietUntilMs = Math.max(this.quietUntilMs, nowMs + quietLimitMs(0, this.failures));
  }

  #chunk(): SpeechChunk {
    const { settings, edgeId } = this.#context;
    const { text, delivery, pauseAfterMs, speaker } = this.piece;
    // Never empty by contract (StreamSettings.voices).
    const voice = (settings.voices[speaker] ?? settings.voices[0]) as VoiceSettings;
    return {
      task: "speak",
      streamId: settings.streamId,
      chunkIndex: this.chunkIndex,
      attempt: this.attempt,
      edgeId,
      model: settings.model,
      text,
      normalize: settings.normalize,
      voice,
      delivery,
      pauseAfterMs,
      seed: chunkSeed(settings.seedBase, this.chunkIndex, text),
      maxSamples: settings.maxSamples,
      traceparent: settings.traceparent,
    };
  }
}
