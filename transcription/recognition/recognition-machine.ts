import type { ChunkFailed } from "#protocol/bus/audio";
import type { Submit, Verdict } from "#protocol/bus/scheduling";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import {
  afterRefusalMs,
  MAX_FAILED_ATTEMPTS,
  OFFER_AGAIN_MS,
  OPENING_PATIENCE_MS,
  OUTAGE_PATIENCE_MS,
  quietLimitMs,
} from "#submission/rules";
import { RecognitionWork } from "./chunk-work.js";
import type { RecognitionStreamSettings } from "./recognition-client.js";

/** What the machine wants done; the driver does it in order. */
export type RecognitionAction =
  | { type: "submit"; schedulerId: string; submit: Submit }
  /** Ends the work on a piece there; on all of them when null. */
  | { type: "cancel"; schedulerId: string; chunkIndex: number | null }
  /** The piece is over without a result. */
  | { type: "failed"; chunkIndex: number; error: ServiceError };

/** Names the scheduler for a piece; null when none can take it now. `avoid` is the last resort. */
export type ChooseRecognitionScheduler = (avoid: string | null) => string | null;

/**
 * Pieces of one stream that schedulers hold at least: the rest waits here, so that one recording cannot fill their
 * queues.
 */
const SMALLEST_WINDOW = 32;
/** …or so many for every slot of the cluster, so that one recording can keep all workers busy. */
const WINDOW_PER_SLOT = 4;

/**
 * A recording's piece may rightly stand in line for minutes. Silence about it is therefore first answered by submitting
 * the same attempt again, this often: a scheduler that has it ignores that, one that has lost it takes it. Only then
 * has the attempt failed.
 */
const ASKS_ABOUT_RECORDINGS = 8;

/** A piece that was out for this long had been taken: what interrupts it then is a new outage. */
const TAKEN_MS = 5000;

/**
 * The life of one stream of audio, as a state machine without clock, bus or timer: every input gives the actions it
 * leads to.
 *
 *     add ──► waiting ──► submitted ──► (heard) ──► gone
 *                 ▲           │ lost, failed, silence, scheduler gone, bus gone
 *                 └─ attempt+1┘
 *
 * Unlike speech, pieces depend on nothing before them: they are out all at once, at whichever scheduler has the
 * shortest queue. Invariant: every piece added is over exactly once, by `heard`, by a `failed` action, or by `withdraw`
 * or `close`.
 */
export class RecognitionMachine {
  readonly #settings: RecognitionStreamSettings;
  readonly #ownerId: string;
  readonly #choose: ChooseRecognitionScheduler;
  readonly #slots: () => number;
  /** Pieces that are not over, by chunk index, in order. */
  readonly #work = new Map<number, RecognitionWork>();
  #added = 0;
  /** Whether any scheduler has ever been given anything. */
  #opened = false;
  /** Why the whole stream is over; null while it is not. */
  #over: ServiceError | null = null;
  #actions: RecognitionAction[] = [];

  constructor(options: {
    settings: RecognitionStreamSettings;
    ownerId: string;
    chooseScheduler: ChooseRecognitionScheduler;
    slots: () => number;
  }) {
    this.#settings = options.settings;
    this.#ownerId = options.ownerId;
    this.#choose = options.chooseScheduler;
    this.#slots = options.slots;
  }

  /** Why nothing more is heard; null while all is well. */
  get over(): ServiceError | null {
    return this.#over;
  }

  /** Adds a piece of so many samples; gives its chunk index with the actions. */
  add(samples: number, slackMs: number, nowMs: number): { chunkIndex: number; actions: RecognitionAction[] } {
    const chunkIndex = this.#added++;
    this.#work.set(chunkIndex, new RecognitionWork(chunkIndex, samples, nowMs, nowMs + slackMs));
    return { chunkIndex, actions: this.#advance(nowMs) };
  }

  /** A result came, of whichever attempt: equal samples give equal results. False when nobody waits for it any more. */
  recognized(chunkIndex: number, nowMs: number): { wanted: boolean; actions: RecognitionAction[] } {
    const work = this.#work.get(chunkIndex);
    if (work === undefined) return { wanted: false, actions: [] };
    this.#work.delete(chunkIndex);
    // A scheduler that serves this stream is not silent: what stands behind is only waiting.
    for (const other of this.#work.values())
      if (other.state === "submitted" && other.schedulerId === work.schedulerId) other.waitOn(nowMs);
    return { wanted: true, actions: this.#advance(nowMs) };
  }

  failed(message: ChunkFailed, nowMs: number): RecognitionAction[] {
    const work = this.#work.get(message.chunkIndex);
    if (work === undefined) return [];
    if (!message.retryable) this.#fail(work, fromErrorRecord(message.error));
    else if (work.isCurrent(message.attempt)) this.#attemptFailed(work, nowMs);
    return this.#advance(nowMs);
  }

  verdict(verdict: Verdict, nowMs: number): RecognitionAction[] {
    const work = this.#work.get(verdict.chunkIndex);
    if (work === undefined || !work.isCurrent(verdict.attempt)) return [];
    if (verdict.type === "lost") this.#attemptFailed(work, nowMs);
    else {
      const error = fromErrorRecord(verdict.error);
      const opening = verdict.chunkIndex === 0 && verdict.attempt === 1 && work.asked === 0;
      if (opening) return this.#end(error);
      if (!error.retryable) this.#fail(work, error);
      else {
        // Refused in the middle of a stream: roles are restarting. It is offered again until patience ends.
        work.troubled(nowMs, error);
        work.requeue(nowMs + afterRefusalMs(error.retryAfterMs));
      }
    }
    return this.#advance(nowMs);
  }

  /** The scheduler is gone and with it all that was queued there; running work may still deliver. */
  schedulerLost(schedulerId: string, nowMs: number): RecognitionAction[] {
    return this.#requeueAll((work) => work.schedulerId === schedulerId, nowMs);
  }

  /** The bus was interrupted: submissions, verdicts and results may be missing. */
  reconnected(nowMs: number): RecognitionAction[] {
    return this.#requeueAll(() => true, nowMs);
  }

  /** Time has come to `nextWakeMs`. While the bus is down, silence proves nothing: pass `connected` false. */
  tick(nowMs: number, connected: boolean): RecognitionAction[] {
    for (const work of this.#work.values()) {
      if (work.state !== "submitted" || nowMs < work.quietUntilMs) continue;
      if (connected) this.#silent(work, nowMs);
      else work.waitOn(nowMs);
    }
    return this.#advance(nowMs);
  }

  /** Nobody waits for the piece any more. */
  withdraw(chunkIndex: number, nowMs: number): RecognitionAction[] {
    const work = this.#work.get(chunkIndex);
    if (work === undefined) return [];
    this.#work.delete(chunkIndex);
    if (work.state === "submitted" && work.schedulerId !== null)
      this.#actions.push({ type: "cancel", schedulerId: work.schedulerId, chunkIndex });
    return this.#advance(nowMs);
  }

  /** Nobody waits for anything any more. */
  close(): RecognitionAction[] {
    this.#cancelAll();
    this.#work.clear();
    return this.#actions.splice(0);
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(): number {
    let wakeMs = Number.POSITIVE_INFINITY;
    for (const work of this.#work.values()) {
      if (work.state === "submitted") wakeMs = Math.min(wakeMs, work.quietUntilMs);
      else if (work.state === "requeued") wakeMs = Math.min(wakeMs, work.offerAtMs);
    }
    return wakeMs;
  }

  #silent(work: RecognitionWork, nowMs: number): void {
    const asks = this.#settings.tier === "live" ? 0 : ASKS_ABOUT_RECORDINGS;
    const { schedulerId } = work;
    if (work.asked < asks && schedulerId !== null) {
      work.asked++;
      work.quietUntilMs = nowMs + quietLimitMs(work.wantedAtMs - nowMs, work.failures);
      return this.#send(work, schedulerId, nowMs);
    }
    this.#attemptFailed(work, nowMs);
    work.avoid = schedulerId;
  }

  #attemptFailed(work: RecognitionWork, nowMs: number): void {
    work.failed();
    work.asked = 0;
    if (work.failures >= MAX_FAILED_ATTEMPTS) this.#fail(work, transcriptionFailed(MAX_FAILED_ATTEMPTS));
    else work.requeue(nowMs);
  }

  #requeueAll(concerned: (work: RecognitionWork) => boolean, nowMs: number): RecognitionAction[] {
    for (const work of this.#work.values()) {
      if (work.state !== "submitted" || !concerned(work)) continue;
      if (nowMs - work.submittedAtMs > TAKEN_MS) work.trouble = null;
      work.troubled(nowMs, transcriptionFailed(work.attempt));
      work.asked = 0;
      work.requeue(nowMs);
    }
    return this.#advance(nowMs);
  }

  #advance(nowMs: number): RecognitionAction[] {
    const window = Math.max(SMALLEST_WINDOW, WINDOW_PER_SLOT * this.#slots());
    let out = 0;
    for (const work of this.#work.values()) {
      if (this.#over !== null || out >= window) break;
      if (work.state === "waiting" || (work.state === "requeued" && nowMs >= work.offerAtMs)) this.#submit(work, nowMs);
      // What failed just now has left its place to the next.
      if (this.#work.has(work.chunkIndex)) out++;
    }
    return this.#actions.splice(0);
  }

  #submit(work: RecognitionWork, nowMs: number): void {
    if (work.trouble !== null && nowMs - work.trouble.sinceMs > OUTAGE_PATIENCE_MS)
      return this.#fail(work, work.trouble.error);
    const schedulerId = this.#choose(work.avoid);
    if (schedulerId === null) return this.#nobodyTakes(work, nowMs);
    this.#opened = true;
    work.begin(schedulerId, nowMs, quietLimitMs(work.wantedAtMs - nowMs, work.failures));
    work.submittedAtMs = nowMs;
    this.#send(work, schedulerId, nowMs);
  }

  #send(work: RecognitionWork, schedulerId: string, nowMs: number): void {
    const chunk = work.chunk(this.#settings, this.#ownerId);
    const slackMs = Math.round(work.wantedAtMs - nowMs);
    this.#actions.push({
      type: "submit",
      schedulerId,
      submit: { type: "submit", chunk, tier: this.#settings.tier, slackMs },
    });
  }

  #nobodyTakes(work: RecognitionWork, nowMs: number): void {
    const error = new ServiceError("no_worker", { parameters: { model: this.#settings.model } });
    if (!this.#opened && nowMs - work.addedAtMs >= OPENING_PATIENCE_MS) return this.#fail(work, error);
    work.troubled(nowMs, error);
    work.requeue(nowMs + OFFER_AGAIN_MS);
  }

  #fail(work: RecognitionWork, error: ServiceError): void {
    this.#work.delete(work.chunkIndex);
    this.#actions.push({ type: "failed", chunkIndex: work.chunkIndex, error });
  }

  #cancelAll(): void {
    const schedulers = new Set(
      [...this.#work.values()].filter((work) => work.state === "submitted").map((work) => work.schedulerId),
    );
    for (const schedulerId of schedulers)
      if (schedulerId !== null) this.#actions.push({ type: "cancel", schedulerId, chunkIndex: null });
  }

  #end(error: ServiceError): RecognitionAction[] {
    this.#over = error;
    this.#cancelAll();
    for (const work of [...this.#work.values()]) this.#fail(work, error);
    return this.#actions.splice(0);
  }
}

function transcriptionFailed(attempts: number): ServiceError {
  return new ServiceError("transcription_failed", { parameters: { attempts } });
}
