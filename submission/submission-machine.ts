import type { ChunkFailed } from "#protocol/bus/audio";
import type { FollowingText, SchedulerInbound, ServiceTier, Verdict } from "#protocol/bus/scheduling";
import { type ErrorCode, fromErrorRecord, ServiceError } from "#protocol/errors";
import {
  afterRefusalMs,
  MAX_FAILED_ATTEMPTS,
  OFFER_AGAIN_MS,
  OPENING_PATIENCE_MS,
  OUTAGE_PATIENCE_MS,
  quietLimitMs,
} from "./rules.js";
import type { Submission } from "./submission.js";

/** Refusals by one scheduler that say nothing of another, whose last heartbeat may be older than what they tell. */
const whileRolesRestart: ReadonlySet<ErrorCode> = new Set(["draining", "no_worker"]);

/** A message that the machine wants sent to a scheduler. */
export interface SubmissionMessage {
  schedulerId: string;
  message: SchedulerInbound;
}

/**
 * Names the scheduler for a chunk; null when none can take it now. `keep` served the stream last, `avoid` is the last
 * resort.
 */
export type ChooseScheduler = (keep: string | null, avoid: string | null) => string | null;

export interface SubmissionMachineOptions<Chunk> {
  streamId: string;
  tier: ServiceTier;
  /** Whether it is part of what was admitted before, and its first chunk no new stream's. */
  isAdmitted: boolean;
  /** Whose stream it is; absent where teams need not share. */
  teamId?: string | undefined;
  /** Longest time to a new stream's first audio for which it is taken; the scheduler's own limit where absent. */
  mostWaitMs?: number | undefined;
  /** Named in `no_worker`. */
  model: string;
  chooseScheduler: ChooseScheduler;
  /** How often silence is answered by sending the same attempt again before it counts as a failure. */
  repeats: number;
  /** An attempt that was out for this long was taken: what interrupts it then is a new outage. */
  takenAfterMs: number;
  /** What follows the chunks submitted so far; absent where schedulers need not know. */
  following?: () => FollowingText;
  /** The error for a chunk whose attempts have come to nothing. */
  exhausted: (attempts: number) => ServiceError;
  /** Called after every input: calls `offer` for the chunks that the pace allows, in the order of their adding. */
  offerDue(nowMs: number): void;
  /** Called when a chunk is over without a result. */
  chunkFailed(chunk: Chunk, error: ServiceError): void;
}

/**
 * The way of one stream's chunks through schedulers, as a state machine without clock, bus or timer.
 *
 *     add ──► waiting ──► submitted ──► (result) ──► over
 *                            │   ▲
 *        lost, failed, silent│   │attempt+1
 *          scheduler/bus gone▼   │
 *                          requeued
 *
 * Invariant: every chunk added is over exactly once: by `complete`, by `chunkFailed`, by `withdraw` or by
 * `cancelAll`.
 */
export class SubmissionMachine<Chunk extends Submission> {
  readonly #options: SubmissionMachineOptions<Chunk>;
  /** Chunks that are not over, in order: those that were offered come before those that wait. */
  readonly #chunks = new Map<number, Chunk>();
  /** The scheduler that took a chunk last. */
  #schedulerId: string | null = null;
  /** Whether any scheduler has ever been given anything. */
  #opened = false;
  #refusal: ServiceError | null = null;
  /** Schedulers that could not take the opening chunk for what is over soon, one entry for each asking. */
  readonly #turnedAwayBy: string[] = [];
  #offeredAtMs = Number.NEGATIVE_INFINITY;
  #messages: SubmissionMessage[] = [];
  /** Whether the scheduler may expect more text than comes. */
  #isOpenEnded = false;

  constructor(options: SubmissionMachineOptions<Chunk>) {
    this.#options = options;
  }

  /** Why a scheduler refused the whole stream; null unless one did. */
  get refusal(): ServiceError | null {
    return this.#refusal;
  }

  /** How many chunks are not over. */
  get size(): number {
    return this.#chunks.size;
  }

  /** The chunk of this index; undefined when it is over. */
  get(chunkIndex: number): Chunk | undefined {
    return this.#chunks.get(chunkIndex);
  }

  /** Chunks that are not over, in order. */
  unfinished(): IterableIterator<Chunk> {
    return this.#chunks.values();
  }

  /** The messages that the inputs since the last call lead to, in the order in which they must be sent. */
  takeMessages(): SubmissionMessage[] {
    return this.#messages.splice(0);
  }

  /** Takes in the next chunk; `advance` offers it. */
  add(chunk: Chunk): void {
    this.#chunks.set(chunk.chunkIndex, chunk);
  }

  /** No more text comes: the scheduler learns of it now unless the next submission says so. */
  textEnded(): void {
    const { streamId, following } = this.#options;
    if (!this.#isOpenEnded || this.#schedulerId === null || this.size === 0 || following?.().size !== 0) return;
    this.#isOpenEnded = false;
    this.#messages.push({ schedulerId: this.#schedulerId, message: { type: "text-ended", streamId } });
  }

  /** Offers what the pace allows by now. */
  advance(nowMs: number): void {
    this.#offeredAtMs = nowMs;
    this.#options.offerDue(nowMs);
  }

  /** Gives a chunk that is due to a scheduler; `slackMs` is how soon its result is wanted. */
  offer(chunk: Chunk, slackMs: number, nowMs: number): void {
    if (chunk.outage !== null && nowMs - chunk.outage.sinceMs > OUTAGE_PATIENCE_MS)
      return this.#fail(chunk, chunk.outage.error);
    const schedulerId = this.#options.chooseScheduler(this.#schedulerId, chunk.avoid);
    if (schedulerId === null) return this.#nobodyTakes(chunk, nowMs);
    this.#opened = true;
    this.#schedulerId = schedulerId;
    chunk.begin(schedulerId, slackMs, nowMs);
    this.#send(chunk, schedulerId, nowMs);
  }

  /** Part of the result came: whoever works on the chunk is alive, and an outage before it is over. */
  progressed(chunk: Chunk, nowMs: number): void {
    chunk.outage = null;
    chunk.waitOn(nowMs);
  }

  /** The whole result came, of whichever attempt. Gives the chunk; undefined when it was over before. */
  complete(chunkIndex: number): Chunk | undefined {
    const chunk = this.#chunks.get(chunkIndex);
    if (chunk !== undefined) this.#end(chunk);
    return chunk;
  }

  /** A worker could not make the result. */
  failed(message: ChunkFailed, nowMs: number): void {
    const chunk = this.#chunks.get(message.chunkIndex);
    if (chunk === undefined) return;
    if (!message.retryable) this.#fail(chunk, fromErrorRecord(message.error));
    else if (chunk.isCurrent(message.attempt)) this.attemptFailed(chunk, nowMs);
    this.advance(nowMs);
  }

  /** A scheduler refused a chunk, or lost it. */
  verdict(verdict: Verdict, nowMs: number): void {
    const chunk = this.#chunks.get(verdict.chunkIndex);
    if (chunk === undefined || !chunk.isCurrent(verdict.attempt)) return;
    if (verdict.type === "lost") this.attemptFailed(chunk, nowMs);
    else this.#refused(chunk, fromErrorRecord(verdict.error), nowMs);
    this.advance(nowMs);
  }

  /** The scheduler is gone and with it all that was queued there; running work may still deliver. */
  schedulerLost(schedulerId: string, nowMs: number): void {
    if (this.#schedulerId === schedulerId) this.#schedulerId = null;
    this.#requeueAll((chunk) => chunk.schedulerId === schedulerId, nowMs);
  }

  /** The bus was interrupted: submissions, verdicts and results may be missing. */
  reconnected(nowMs: number): void {
    this.#requeueAll(() => true, nowMs);
  }

  /** Time has come to `nextWakeMs`. While the bus is down, silence proves nothing: pass `connected` false. */
  tick(nowMs: number, connected: boolean): void {
    for (const chunk of this.#offered()) {
      if (chunk.state !== "submitted" || nowMs < chunk.quietUntilMs) continue;
      if (connected) this.#silent(chunk, nowMs);
      else chunk.waitOn(nowMs);
    }
    this.advance(nowMs);
  }

  /** The current attempt came to nothing by itself. The chunk had been taken: an outage before it is over. */
  attemptFailed(chunk: Chunk, nowMs: number): void {
    chunk.failures++;
    chunk.outage = null;
    if (chunk.failures >= MAX_FAILED_ATTEMPTS) this.#fail(chunk, this.#options.exhausted(MAX_FAILED_ATTEMPTS));
    else chunk.requeue(nowMs);
  }

  /** Nobody waits for the chunk any more. */
  withdraw(chunkIndex: number, nowMs: number): void {
    const chunk = this.#chunks.get(chunkIndex);
    if (chunk === undefined) return;
    this.#drop(chunk);
    this.advance(nowMs);
  }

  /** Nobody waits for anything any more. */
  cancelAll(): void {
    const schedulers = new Set<string | null>();
    for (const chunk of this.#offered()) if (chunk.state === "submitted") schedulers.add(chunk.schedulerId);
    for (const chunk of this.#chunks.values()) this.#end(chunk);
    for (const schedulerId of schedulers) this.#cancel(schedulerId, { fromChunk: 0 });
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(): number {
    let wakeMs = Number.POSITIVE_INFINITY;
    for (const chunk of this.#offered()) {
      if (chunk.state === "submitted") wakeMs = Math.min(wakeMs, chunk.quietUntilMs);
      // What was due at the last offering and is still here waits for its owner's pace, not for time.
      else if (chunk.offerAtMs > this.#offeredAtMs) wakeMs = Math.min(wakeMs, chunk.offerAtMs);
    }
    return wakeMs;
  }

  /** Counts silence anew for all chunks at a scheduler that has shown that it serves this stream. */
  waitOnAll(schedulerId: string | null, nowMs: number): void {
    for (const chunk of this.#offered())
      if (chunk.state === "submitted" && chunk.schedulerId === schedulerId) chunk.waitOn(nowMs);
  }

  *#offered(): Generator<Chunk> {
    for (const chunk of this.#chunks.values()) {
      if (chunk.state === "waiting") return;
      yield chunk;
    }
  }

  #refused(chunk: Chunk, error: ServiceError, nowMs: number): void {
    const opening = chunk.chunkIndex === 0 && chunk.attempt === 1 + this.#turnedAwayBy.length && chunk.repeats === 0;
    if (opening && whileRolesRestart.has(error.code) && nowMs - chunk.addedAtMs < OPENING_PATIENCE_MS)
      return this.#askAnother(chunk, error, nowMs);
    if (opening) return this.#refuseAll(error);
    if (!error.retryable) return this.#fail(chunk, error);
    // Refused in the middle of a stream: roles are restarting. The chunk is offered again until patience ends.
    chunk.noteOutage(nowMs, error);
    chunk.requeue(nowMs + afterRefusalMs(error.retryAfterMs));
  }

  /** The scheduler, or its last worker, is being replaced: its successor, or another one, may take the stream. */
  #askAnother(chunk: Chunk, error: ServiceError, nowMs: number): void {
    const schedulerId = chunk.schedulerId ?? "";
    const hasSaidSo = this.#turnedAwayBy.includes(schedulerId);
    this.#turnedAwayBy.push(schedulerId);
    if (this.#schedulerId === schedulerId) this.#schedulerId = null;
    this.#opened = false;
    chunk.avoid = schedulerId;
    chunk.noteOutage(nowMs, error);
    chunk.requeue(hasSaidSo ? nowMs + OFFER_AGAIN_MS : nowMs);
  }

  #refuseAll(error: ServiceError): void {
    this.#refusal = error;
    const chunks = [...this.#chunks.values()];
    this.cancelAll();
    for (const chunk of chunks) this.#options.chunkFailed(chunk, error);
  }

  #silent(chunk: Chunk, nowMs: number): void {
    const { schedulerId } = chunk;
    if (chunk.repeats < this.#options.repeats && schedulerId !== null) {
      chunk.repeats++;
      chunk.quietUntilMs = nowMs + quietLimitMs(chunk.wantedAtMs - nowMs, chunk.failures);
      return this.#send(chunk, schedulerId, nowMs);
    }
    this.attemptFailed(chunk, nowMs);
    chunk.avoid = schedulerId;
  }

  #requeueAll(concerned: (chunk: Chunk) => boolean, nowMs: number): void {
    for (const chunk of this.#offered()) {
      if (chunk.state !== "submitted" || !concerned(chunk)) continue;
      if (nowMs - chunk.submittedAtMs > this.#options.takenAfterMs) chunk.outage = null;
      chunk.noteOutage(nowMs, this.#options.exhausted(chunk.attempt));
      chunk.requeue(nowMs);
    }
    this.advance(nowMs);
  }

  #nobodyTakes(chunk: Chunk, nowMs: number): void {
    const error = new ServiceError("no_worker", { parameters: { model: this.#options.model } });
    if (!this.#opened && nowMs - chunk.addedAtMs >= OPENING_PATIENCE_MS) return this.#fail(chunk, error);
    chunk.noteOutage(nowMs, error);
    chunk.requeue(nowMs + OFFER_AGAIN_MS);
  }

  #send(chunk: Chunk, schedulerId: string, nowMs: number): void {
    const slackMs = Math.round(chunk.wantedAtMs - nowMs);
    const { tier, isAdmitted, mostWaitMs, teamId } = this.#options;
    const following = this.#options.following?.();
    this.#isOpenEnded = following?.isAll === false;
    this.#messages.push({
      schedulerId,
      message: {
        ...{ type: "submit", chunk: chunk.chunk(), tier, slackMs },
        ...(isAdmitted ? { isAdmitted } : {}),
        ...(mostWaitMs === undefined ? {} : { mostWaitMs }),
        ...(teamId === undefined ? {} : { teamId }),
        ...(following === undefined ? {} : { following }),
      },
    });
  }

  #fail(chunk: Chunk, error: ServiceError): void {
    this.#drop(chunk);
    this.#options.chunkFailed(chunk, error);
  }

  /** Ends a chunk that a scheduler may still have. */
  #drop(chunk: Chunk): void {
    const { state, schedulerId, chunkIndex } = chunk;
    if (state === "submitted") this.#cancel(schedulerId, { fromChunk: chunkIndex, toChunk: chunkIndex });
    this.#end(chunk);
  }

  #cancel(schedulerId: string | null, range: { fromChunk: number; toChunk?: number }): void {
    const { streamId } = this.#options;
    if (schedulerId !== null) this.#messages.push({ schedulerId, message: { type: "cancel", streamId, ...range } });
  }

  #end(chunk: Chunk): void {
    chunk.state = "over";
    this.#chunks.delete(chunk.chunkIndex);
  }
}
