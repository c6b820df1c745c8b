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
import { PieceWork } from "./chunk-work.js";
import type { SoundStreamSettings } from "./recognition-client.js";

/** What the machine wants done; the driver does it in order. */
export type SoundAction =
  | { type: "submit"; schedulerId: string; submit: Submit }
  /** Ends the work on a piece there; on all of them when null. */
  | { type: "cancel"; schedulerId: string; chunkIndex: number | null }
  /** The piece is over without a result. */
  | { type: "failed"; chunkIndex: number; error: ServiceError };

/** Names the scheduler for a piece; null when none can take it now. `avoid` is the last resort. */
export type ChooseSoundScheduler = (avoid: string | null) => string | null;

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
 * The life of one stream of sound, as a state machine without clock, bus or timer: every input gives the actions it
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
export class SoundMachine {
  readonly #settings: SoundStreamSettings;
  readonly #ownerId: string;
  readonly #choose: ChooseSoundScheduler;
  readonly #slots: () => number;
  /** Pieces that are not over, by chunk index, in order. */
  readonly #work = new Map<number, PieceWork>();
  #added = 0;
  /** Whether any scheduler has ever been given anything. */
  #opened = false;
  /** Why the whole stream is over; null while it is not. */
  #over: ServiceError | null = null;
  #actions: SoundAction[] = [];

  constructor(options: {
    settings: SoundStreamSettings;
    ownerId: string;
    chooseScheduler: ChooseSoundScheduler;
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
  add(samples: number, slackMs: number, nowMs: number): { chunkIndex: number; actions: SoundAction[] } {
    const chunkIndex = this.#added++;
    this.#work.set(chunkIndex, new PieceWork(chunkIndex, samples, nowMs, nowMs + slackMs));
    return { chunkIndex, actions: this.#advance(nowMs) };
  }

  /** A result came, of whichever attempt: equal samples give equal results. False when nobody waits for it any more. */
  heard(chunkIndex: number, nowMs: number): { wanted: boolean; actions: SoundAction[] } {
    const work = this.#work.get(chunkIndex);
    if (work === undefined) return { wanted: false, actions: [] };
    this.#work.delete(chunkIndex);
    // A scheduler that serves this stream is not silent: what stands behind is only waiting.
    for (const other of this.#work.values())
      if (other.state === "submitted" && other.schedulerId === work.schedulerId) other.waitOn(nowMs);
    return { wanted: true, actions: this.#advance(nowMs) };
  }

  failed(message: ChunkFailed, nowMs: number): SoundAction[] {
    const work = this.#work.get(message.chunkIndex);
    if (work === undefined) return [];
    if (!message.retryable) this.#fail(work, fromErrorRecord(message.error));
    else if (work.isCurrent(message.attempt)) this.#attemptFailed(work, nowMs);
    return this.#advance(nowMs);
  }

  verdict(verdict: Verdict, nowMs: number): SoundAction[] {
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
        work.putBack(nowMs + afterRefusalMs(error.retryAfterMs));
      }
    }
    return this.#advance(nowMs);
  }

  /** The scheduler is gone and with it all that was queued there; running work may still deliver. */
  schedulerLost(schedulerId: string, nowMs: number): SoundAction[] {
    return this.#putBackAll((work) => work.schedulerId === schedulerId, nowMs);
  }

  /** The bus was interrupted: submissions, verdicts and results may be missing. */
  reconnected(nowMs: number): SoundAction[] {
    return this.#putBackAll(() => true, nowMs);
  }

  /** Time has come to `nextWakeMs`. While the bus is down, silence proves nothing: pass `connected` false. */
  tick(nowMs: number, connected: boolean): SoundAction[] {
    for (const work of this.#work.values()) {
      if (work.state !== "submitted" || nowMs < work.quietUntilMs) continue;
      if (connected) this.#silent(work, nowMs);
      else work.waitOn(nowMs);
    }
    return this.#advance(nowMs);
  }

  /** Nobody waits for the piece any more. */
  withdraw(chunkIndex: number, nowMs: number): SoundAction[] {
    const work = this.#work.get(chunkIndex);
    if (work === undefined) return [];
    this.#work.delete(chunkIndex);
    if (work.state === "submitted" && work.schedulerId !== null)
      this.#actions.push({ type: "cancel", schedulerId: work.schedulerId, chunkIndex });
    return this.#advance(nowMs);
  }

  /** Nobody waits for anything any more. */
  close(): SoundAction[] {
    this.#cancelAll();
    this.#work.clear();
    return this.#actions.splice(0);
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(): number {
    let wakeMs = Number.POSITIVE_INFINITY;
    for (const work of this.#work.values()) {
      if (work.state === "submitted") wakeMs = Math.min(wakeMs, work.quietUntilMs);
      else if (work.state === "put-back") wakeMs = Math.min(wakeMs, work.offerAtMs);
    }
    return wakeMs;
  }

  #silent(work: PieceWork, nowMs: number): void {
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

  #attemptFailed(work: PieceWork, nowMs: number): void {
    work.failed();
    work.asked = 0;
    if (work.failures >= MAX_FAILED_ATTEMPTS) this.#fail(work, hearingFailed(MAX_FAILED_ATTEMPTS));
    else work.putBack(nowMs);
  }

  #putBackAll(concerned: (work: PieceWork) => boolean, nowMs: number): SoundAction[] {
    for (const work of this.#work.values()) {
      if (work.state !== "submitted" || !concerned(work)) continue;
      if (nowMs - work.submittedAtMs > TAKEN_MS) work.trouble = null;
      work.troubled(nowMs, hearingFailed(work.attempt));
      work.asked = 0;
      work.putBack(nowMs);
    }
    return this.#advance(nowMs);
  }

  #advance(nowMs: number): SoundAction[] {
    const window = Math.max(SMALLEST_WINDOW, WINDOW_PER_SLOT * this.#slots());
    let out = 0;
    for (const work of this.#work.values()) {
      if (this.#over !== null || out >= window) break;
      if (work.state === "waiting" || (work.state === "put-back" && nowMs >= work.offerAtMs)) this.#submit(work, nowMs);
      // What failed just now has left its place to the next.
      if (this.#work.has(work.chunkIndex)) out++;
    }
    return this.#actions.splice(0);
  }

  #submit(work: PieceWork, nowMs: number): void {
    if (work.trouble !== null && nowMs - work.trouble.sinceMs > OUTAGE_PATIENCE_MS)
      return this.#fail(work, work.trouble.error);
    const schedulerId = this.#choose(work.avoid);
    if (schedulerId === null) return this.#nobodyTakes(work, nowMs);
    this.#opened = true;
    work.begin(schedulerId, nowMs, quietLimitMs(work.wantedAtMs - nowMs, work.failures));
    work.submittedAtMs = nowMs;
    this.#send(work, schedulerId, nowMs);
  }

  #send(work: PieceWork, schedulerId: string, nowMs: number): void {
    const chunk = work.chunk(this.#settings, this.#ownerId);
    const slackMs = Math.round(work.wantedAtMs - nowMs);
    this.#actions.push({
      type: "submit",
      schedulerId,
      submit: { type: "submit", chunk, tier: this.#settings.tier, slackMs },
    });
  }

  #nobodyTakes(work: PieceWork, nowMs: number): void {
    const error = new ServiceError("no_worker", { parameters: { model: this.#settings.model } });
    if (!this.#opened && nowMs - work.addedAtMs >= OPENING_PATIENCE_MS) return this.#fail(work, error);
    work.troubled(nowMs, error);
    work.putBack(nowMs + OFFER_AGAIN_MS);
  }

  #fail(work: PieceWork, error: ServiceError): void {
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

  #end(error: ServiceError): SoundAction[] {
    this.#over = error;
    this.#cancelAll();
    for (const work of [...this.#work.values()]) this.#fail(work, error);
    return this.#actions.splice(0);
  }
}

function hearingFailed(attempts: number): ServiceError {
  return new ServiceError("hearing_failed", { parameters: { attempts } });
}
