import type { AudioFrame, ChunkFailed } from "#protocol/bus/audio";
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
import type { ChunkText } from "../chunking/chunker.js";
import { ChunkWork } from "./chunk-work.js";
import { Playout } from "./playout.js";
import type { StreamEvent } from "./stream-event.js";
import type { StreamSettings } from "./stream-settings.js";

/** What the machine wants done; the driver does it in order. */
export type StreamAction =
  | { type: "submit"; schedulerId: string; submit: Submit }
  /** Ends all work for the stream there. */
  | { type: "cancel"; schedulerId: string }
  | { type: "event"; event: StreamEvent };

/**
 * Names the scheduler for a chunk; null when none can take it now. `keep` is preferred while it lives, `avoid` is the
 * last resort.
 */
export type ChooseScheduler = (keep: string | null, avoid: string | null) => string | null;

/**
 * The life of one stream, as a state machine without clock, bus or timer: every input gives the actions it leads to.
 *
 *     add ──► waiting ──► submitted ──► (frames) ──► complete ──► given to the listener, in order
 *                 ▲           │ lost, failed, gap, silence, scheduler gone, bus gone
 *                 └─ attempt+1┘
 *
 * Invariant: what the listener is given is the concatenation of the chunks' audio in order, each sample once, whatever
 * happens below.
 */
export class StreamMachine {
  readonly #settings: StreamSettings;
  readonly #ownerId: string;
  readonly #choose: ChooseScheduler;
  readonly #playout = new Playout();
  /** Unfinished chunks; the first is the one whose audio is being given. */
  readonly #work: ChunkWork[] = [];
  /** Counts of chunks after which `marked` is due, ascending. */
  readonly #marks: number[] = [];
  #added = 0;
  #given = 0;
  #givenSamples = 0;
  #sampleRate = 0;
  #waitingBytes = 0;
  #textEnded = false;
  #held = false;
  #over = false;
  #schedulerId: string | null = null;
  #actions: StreamAction[] = [];

  constructor(options: { settings: StreamSettings; ownerId: string; chooseScheduler: ChooseScheduler }) {
    this.#settings = options.settings;
    this.#ownerId = options.ownerId;
    this.#choose = options.chooseScheduler;
  }

  /** True after `ended`, `failed` or `cancel`: nothing will come of further inputs. */
  get over(): boolean {
    return this.#over;
  }

  /** UTF-8 bytes of chunks that were not yet handed to a scheduler. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  add(pieces: ChunkText[], nowMs: number): StreamAction[] {
    for (const piece of pieces) {
      const work = new ChunkWork(piece, this.#added++, nowMs, { settings: this.#settings, ownerId: this.#ownerId });
      this.#waitingBytes += work.textBytes;
      this.#work.push(work);
    }
    return this.#advance(nowMs);
  }

  /** Asks for a `marked` event when all that was added so far has been given. */
  mark(nowMs: number): StreamAction[] {
    this.#marks.push(this.#added);
    return this.#advance(nowMs);
  }

  /** No more text comes. */
  end(nowMs: number): StreamAction[] {
    this.#textEnded = true;
    return this.#advance(nowMs);
  }

  /** Holds back new chunks while the listener's connection is behind; what is at work goes on. */
  hold(held: boolean, nowMs: number): StreamAction[] {
    this.#held = held;
    return this.#advance(nowMs);
  }

  frame(frame: AudioFrame, nowMs: number): StreamAction[] {
    const work = this.#find(frame.chunkIndex);
    if (work === undefined) return [];
    const outcome = work.assembler.accept(frame);
    if (outcome === "rate") return this.#fail(new ServiceError("engine_failed"), nowMs);
    if (outcome === "gap" && work.state === "submitted" && frame.attempt === work.attempt)
      this.#attemptFailed(work, nowMs);
    if (outcome === "progress") this.#progressed(work, frame, nowMs);
    return this.#advance(nowMs);
  }

  failed(message: ChunkFailed, nowMs: number): StreamAction[] {
    const work = this.#find(message.chunkIndex);
    if (work === undefined || work.assembler.complete) return [];
    if (!message.retryable) return this.#fail(fromErrorRecord(message.error), nowMs);
    if (work.isCurrent(message.attempt)) this.#attemptFailed(work, nowMs);
    return this.#advance(nowMs);
  }

  verdict(verdict: Verdict, nowMs: number): StreamAction[] {
    const work = this.#find(verdict.chunkIndex);
    if (work === undefined || !work.isCurrent(verdict.attempt)) return [];
    if (verdict.type === "lost") this.#attemptFailed(work, nowMs);
    else {
      const error = fromErrorRecord(verdict.error);
      const opening = verdict.chunkIndex === 0 && verdict.attempt === 1;
      if (opening || !error.retryable) return this.#fail(error, nowMs);
      // Refused in the middle of a stream: roles are restarting. It is offered again until patience ends.
      work.troubled(nowMs, error);
      work.requeue(nowMs + afterRefusalMs(error.retryAfterMs));
    }
    return this.#advance(nowMs);
  }

  /** The scheduler is gone and with it all that was queued there; running work may still deliver. */
  schedulerLost(schedulerId: string, nowMs: number): StreamAction[] {
    if (this.#schedulerId === schedulerId) this.#schedulerId = null;
    return this.#requeueAll((work) => work.schedulerId === schedulerId, nowMs);
  }

  /** The bus was interrupted: submissions, verdicts and frames may be missing. */
  reconnected(nowMs: number): StreamAction[] {
    return this.#requeueAll(() => true, nowMs);
  }

  /** Time has come to `nextWakeMs`. While the bus is down, silence proves nothing: pass `connected` false. */
  tick(nowMs: number, connected: boolean): StreamAction[] {
    if (connected) {
      for (const work of this.#work) {
        if (work.state === "waiting") break;
        if (work.state !== "submitted" || nowMs < work.quietUntilMs) continue;
        const quiet = work.schedulerId;
        this.#attemptFailed(work, nowMs);
        work.avoid = quiet;
      }
    } else {
      for (const work of this.#work)
        if (work.state === "submitted") work.quietUntilMs = Math.max(work.quietUntilMs, nowMs + quietLimitMs(0, 0));
    }
    return this.#advance(nowMs);
  }

  /** The listener is gone: ends all work. */
  cancel(): StreamAction[] {
    if (this.#over) return [];
    this.#finish();
    return this.#takeActions();
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(nowMs: number): number {
    if (this.#over) return Number.POSITIVE_INFINITY;
    let wakeMs = Number.POSITIVE_INFINITY;
    const atWork = this.#work.findIndex((work) => work.state === "waiting");
    for (const work of atWork < 0 ? this.#work : this.#work.slice(0, atWork)) {
      if (work.state === "submitted") wakeMs = Math.min(wakeMs, work.quietUntilMs);
      else if (work.state === "requeued") wakeMs = Math.min(wakeMs, work.offerAtMs);
    }
    if (atWork < 0 || atWork >= this.#settings.pacing.windowChunks || this.#held) return wakeMs;
    // Only pacing holds the next chunk back: it is due when the listener has played what exceeds the limit.
    return Math.min(wakeMs, nowMs + Math.max(10, this.#aheadMs(nowMs) - this.#settings.pacing.aheadMs));
  }

  #find(chunkIndex: number): ChunkWork | undefined {
    return this.#over ? undefined : this.#work[chunkIndex - this.#given];
  }

  #progressed(work: ChunkWork, frame: AudioFrame, nowMs: number): void {
    if (frame.chunkIndex === 0 && frame.timing !== null && !work.reported) {
      const { queuedUs, engineUs } = frame.timing;
      this.#give({ type: "first-frame", queuedUs, engineUs, roundTripMs: nowMs - work.firstSubmittedAtMs });
    }
    work.progressed(nowMs);
    if (work.assembler.complete) work.state = "complete";
  }

  #attemptFailed(work: ChunkWork, nowMs: number): void {
    work.failed();
    if (work.failures >= MAX_FAILED_ATTEMPTS) {
      this.#failNow(new ServiceError("synthesis_failed", { parameters: { attempts: MAX_FAILED_ATTEMPTS } }));
    } else {
      work.requeue(nowMs);
    }
  }

  #requeueAll(concerned: (work: ChunkWork) => boolean, nowMs: number): StreamAction[] {
    for (const work of this.#work) {
      if (work.state !== "submitted" || !concerned(work)) continue;
      work.troubled(nowMs, new ServiceError("synthesis_failed", { parameters: { attempts: work.attempt } }));
      work.requeue(nowMs);
    }
    return this.#advance(nowMs);
  }

  #advance(nowMs: number): StreamAction[] {
    if (!this.#over) this.#giveReady(nowMs);
    if (!this.#over) this.#submitDue(nowMs);
    return this.#takeActions();
  }

  #giveReady(nowMs: number): void {
    this.#giveMarks();
    for (let work = this.#work[0]; work !== undefined && !this.#over; work = this.#work[0]) {
      this.#giveAudio(work, nowMs);
      if (work.state !== "complete") return;
      this.#give({ type: "chunk-ended", chunkIndex: work.chunkIndex, samples: work.assembler.samples });
      this.#playout.learn(work.piece.text.length, (work.assembler.samples / work.assembler.sampleRate) * 1000);
      this.#work.shift();
      this.#given++;
      this.#giveMarks();
    }
    if (this.#over || !this.#textEnded || this.#work.length > 0) return;
    this.#give({ type: "ended" });
    this.#finish();
  }

  #giveMarks(): void {
    while (this.#marks[0] !== undefined && this.#marks[0] <= this.#given) {
      this.#marks.shift();
      this.#give({ type: "marked" });
    }
  }

  #giveAudio(work: ChunkWork, nowMs: number): void {
    const { assembler, chunkIndex } = work;
    const { sampleRate } = assembler;
    if (sampleRate === 0) return;
    if (this.#sampleRate !== 0 && this.#sampleRate !== sampleRate)
      return this.#failNow(new ServiceError("engine_failed"));
    this.#sampleRate = sampleRate;
    if (!work.started) {
      work.started = true;
      const pause = Math.round((work.piece.pauseBeforeMs * sampleRate) / 1000);
      if (pause > 0) this.#giveSamples(chunkIndex, new Int16Array(pause), nowMs);
      this.#give({
        type: "chunk-started",
        chunkIndex,
        text: work.piece.text,
        sampleRate,
        offsetSamples: this.#givenSamples,
      });
    }
    const words = assembler.takeWords();
    if (words.length > 0) this.#give({ type: "words", chunkIndex, words });
    for (const samples of assembler.takeSamples()) this.#giveSamples(chunkIndex, samples, nowMs);
  }

  #giveSamples(chunkIndex: number, samples: Int16Array, nowMs: number): void {
    this.#givenSamples += samples.length;
    this.#playout.given((samples.length / this.#sampleRate) * 1000, nowMs);
    this.#give({ type: "samples", chunkIndex, samples, sampleRate: this.#sampleRate });
  }

  #submitDue(nowMs: number): void {
    const { aheadMs, windowChunks } = this.#settings.pacing;
    let atWork = 0;
    let comingMs = 0;
    for (const work of this.#work) {
      if (work.state === "waiting") {
        if (this.#held || atWork >= windowChunks || this.#playout.aheadMs(nowMs) + comingMs >= aheadMs) return;
        this.#submit(work, comingMs, nowMs);
      } else if (work.state === "requeued" && nowMs >= work.offerAtMs) {
        this.#submit(work, comingMs, nowMs);
      }
      if (this.#over || work.state === "waiting") return;
      atWork++;
      comingMs += this.#comingMs(work);
    }
  }

  #submit(work: ChunkWork, comingMs: number, nowMs: number): void {
    if (work.trouble !== null && nowMs - work.trouble.sinceMs > OUTAGE_PATIENCE_MS)
      return this.#failNow(work.trouble.error);
    const schedulerId = this.#choose(this.#schedulerId, work.avoid);
    if (schedulerId === null) return this.#nobodyTakes(work, nowMs);
    this.#schedulerId = schedulerId;
    if (work.state === "waiting") this.#waitingBytes -= work.textBytes;
    // Text that came after the listener ran dry starts a new count: nobody waited for it before.
    const dryAtMs = Math.max(this.#playout.endsAtMs, work.addedAtMs + this.#settings.firstAudioGoalMs);
    const slackMs = Math.round(dryAtMs + comingMs - nowMs);
    const chunk = work.submitted(schedulerId, nowMs, quietLimitMs(slackMs, work.failures));
    this.#actions.push({
      type: "submit",
      schedulerId,
      submit: { type: "submit", chunk, tier: this.#settings.tier, slackMs },
    });
  }

  #nobodyTakes(work: ChunkWork, nowMs: number): void {
    const opening = work.chunkIndex === 0 && work.attempt === 0;
    if (opening && nowMs - work.addedAtMs >= OPENING_PATIENCE_MS) return this.#failNow(this.#noWorker());
    if (work.state === "waiting") this.#waitingBytes -= work.textBytes;
    work.troubled(nowMs, this.#noWorker());
    work.requeue(nowMs + OFFER_AGAIN_MS);
  }

  #noWorker(): ServiceError {
    return new ServiceError("no_worker", { parameters: { model: this.#settings.models[0]?.name ?? "" } });
  }

  /** Audio that is guessed to be on its way for a chunk. */
  #comingMs(work: ChunkWork): number {
    if (work.state === "complete") return (work.untakenSamples / Math.max(1, work.assembler.sampleRate)) * 1000;
    const receivedMs =
      work.assembler.sampleRate === 0 ? 0 : (work.assembler.samples / work.assembler.sampleRate) * 1000;
    const restMs = Math.max(0, this.#playout.estimateMs(work.piece.text.length) - receivedMs);
    return restMs + (work.chunkIndex === this.#given ? 0 : receivedMs);
  }

  #aheadMs(nowMs: number): number {
    let sum = this.#playout.aheadMs(nowMs);
    for (const work of this.#work) {
      if (work.state === "waiting") break;
      sum += this.#comingMs(work);
    }
    return sum;
  }

  #fail(error: ServiceError, nowMs: number): StreamAction[] {
    this.#giveReady(nowMs);
    this.#failNow(error);
    return this.#takeActions();
  }

  #failNow(error: ServiceError): void {
    if (this.#over) return;
    this.#give({ type: "failed", error });
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    const schedulers = new Set(this.#work.filter((work) => work.state === "submitted").map((work) => work.schedulerId));
    for (const schedulerId of schedulers) if (schedulerId !== null) this.#actions.push({ type: "cancel", schedulerId });
    this.#work.length = 0;
    this.#waitingBytes = 0;
  }

  #give(event: StreamEvent): void {
    this.#actions.push({ type: "event", event });
  }

  #takeActions(): StreamAction[] {
    return this.#actions.splice(0);
  }
}
