import type { AudioFrame } from "#protocol/bus/audio";
import { ServiceError } from "#protocol/errors";
import { type ChooseScheduler, SubmissionMachine } from "#submission/submission-machine";
import type { ChunkText } from "../chunking/chunker.js";
import { ChunkWork } from "./chunk-work.js";
import { Playout } from "./playout.js";
import type { StreamEvent } from "./stream-event.js";
import type { StreamSettings } from "./stream-settings.js";

/**
 * A stream asks for text so long before its player runs dry: about what speaking takes on a busy machine, and a player's
 * store of 100 ms.
 */
const TEXT_LEAD_MS = 300;

/**
 * The life of one stream of speech, as a state machine without clock, bus or timer. It paces the chunks, hands them to
 * its submissions, and gives their audio to the client in order.
 *
 * Invariant: what the client is given is the concatenation of the chunks' audio in order, each sample once, whatever
 * happens below.
 */
export class StreamMachine {
  readonly submissions: SubmissionMachine<ChunkWork>;
  readonly #settings: StreamSettings;
  readonly #ownerId: string;
  readonly #playout = new Playout();
  /** Chunks that were not given in full yet; the first is the one whose audio is being given. */
  readonly #work: ChunkWork[] = [];
  /** Counts of chunks after which `marked` is due, ascending. */
  readonly #marks: number[] = [];
  #added = 0;
  #given = 0;
  #givenSamples = 0;
  #sampleRate = 0;
  #waitingBytes = 0;
  #waitingCharacters = 0;
  #textEnded = false;
  #wantsText = false;
  #held = false;
  #over = false;
  #events: StreamEvent[] = [];

  constructor(options: { settings: StreamSettings; ownerId: string; chooseScheduler: ChooseScheduler }) {
    const { settings, ownerId, chooseScheduler } = options;
    this.#settings = settings;
    this.#ownerId = ownerId;
    this.submissions = new SubmissionMachine({
      streamId: settings.streamId,
      tier: settings.tier,
      isAdmitted: settings.isAdmitted,
      mostWaitMs: settings.mostWaitMs,
      teamId: settings.teamId,
      model: settings.models[0]?.name ?? "",
      chooseScheduler,
      repeats: 0,
      takenAfterMs: Number.POSITIVE_INFINITY,
      following: () => ({ size: this.#waitingCharacters, isAll: this.#textEnded }),
      exhausted: (attempts) => new ServiceError("synthesis_failed", { parameters: { attempts } }),
      offerDue: (nowMs) => this.#offerDue(nowMs),
      chunkFailed: (_, error) => this.#fail(error),
    });
  }

  /** True after `ended`, `failed` or `cancel`: nothing will come of further inputs. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether `text-wanted` was given and no piece came since. */
  get wantsText(): boolean {
    return this.#wantsText;
  }

  /** UTF-8 bytes of chunks that were not yet handed to a scheduler. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** The events that the inputs since the last call lead to, in order. */
  takeEvents(): StreamEvent[] {
    return this.#events.splice(0);
  }

  /** Adds pieces to speak, in order. */
  add(pieces: ChunkText[], nowMs: number): void {
    this.#wantsText = false;
    for (const piece of pieces) {
      const work = new ChunkWork(piece, this.#added++, nowMs, { settings: this.#settings, ownerId: this.#ownerId });
      this.#waitingBytes += work.textBytes;
      this.#waitingCharacters += piece.text.length;
      this.#work.push(work);
      this.submissions.add(work);
    }
    this.submissions.advance(nowMs);
  }

  /** Asks for a `marked` event when all that was added so far has been given. */
  mark(): void {
    this.#marks.push(this.#added);
    this.#giveMarks();
  }

  /** No more text comes. */
  end(): void {
    this.#textEnded = true;
    this.submissions.textEnded();
    this.#endIfGiven();
  }

  /** Holds back new chunks while the client's connection is behind; what is at work goes on. */
  hold(held: boolean, nowMs: number): void {
    this.#held = held;
    this.submissions.advance(nowMs);
  }

  /** Audio came from a worker. */
  frame(frame: AudioFrame, nowMs: number): void {
    const work = this.#over ? undefined : this.#work[frame.chunkIndex - this.#given];
    if (work === undefined) return;
    const outcome = work.assembler.accept(frame);
    if (outcome === "rate") this.#fail(new ServiceError("engine_failed"));
    if (outcome === "gap" && work.isCurrent(frame.attempt)) this.submissions.attemptFailed(work, nowMs);
    if (outcome === "progress") this.#progressed(work, frame, nowMs);
    this.submissions.advance(nowMs);
  }

  /** The client is gone: ends all work. */
  cancel(): void {
    if (!this.#over) this.#finish();
  }

  /** Time has passed. */
  tick(nowMs: number): void {
    if (nowMs < this.#textWantedMs()) return;
    this.#wantsText = true;
    this.#give({ type: "text-wanted" });
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(nowMs: number): number {
    const wakeMs = Math.min(this.submissions.nextWakeMs(), this.#textWantedMs());
    const { windowChunks, aheadMs } = this.#settings.pacing;
    const atWork = this.#work.findIndex((work) => work.state === "waiting");
    if (atWork < 0 || atWork >= windowChunks || this.#held) return wakeMs;
    // Only pacing holds the next chunk back: it is due when the client has played what exceeds the limit.
    const atWorkMs = this.#work.slice(0, atWork).reduce((sum, work) => sum + this.#comingMs(work), 0);
    return Math.min(wakeMs, nowMs + Math.max(10, this.#playout.aheadMs(nowMs) + atWorkMs - aheadMs));
  }

  /** When text is wanted next; infinity where more of it is not what the player lacks. */
  #textWantedMs(): number {
    const { endsAtMs } = this.#playout;
    if (this.#wantsText || this.#textEnded || this.#held || this.#over || endsAtMs === Number.NEGATIVE_INFINITY)
      return Number.POSITIVE_INFINITY;
    return this.#work.reduce((sum, work) => sum + this.#comingMs(work), endsAtMs) - TEXT_LEAD_MS;
  }

  #progressed(work: ChunkWork, frame: AudioFrame, nowMs: number): void {
    if (frame.chunkIndex === 0 && frame.timing !== null && !work.receivedAudio) {
      const { queuedUs, engineUs } = frame.timing;
      this.#give({ type: "first-frame", queuedUs, engineUs, roundTripMs: nowMs - work.firstSubmittedAtMs });
    }
    work.receivedAudio = true;
    if (work.assembler.complete) this.submissions.complete(work.chunkIndex);
    else this.submissions.progressed(work, nowMs);
    this.#giveReady(nowMs);
  }

  #giveReady(nowMs: number): void {
    for (let work = this.#work[0]; work !== undefined; work = this.#work[0]) {
      this.#giveAudio(work, nowMs);
      if (this.#over || !work.assembler.complete) return;
      this.#give({ type: "chunk-ended", chunkIndex: work.chunkIndex, samples: work.assembler.samples });
      this.#playout.learn(work.piece.text.length, (work.assembler.samples / work.assembler.sampleRate) * 1000);
      this.#work.shift();
      this.#given++;
      this.#giveMarks();
    }
    this.#endIfGiven();
  }

  #endIfGiven(): void {
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
    if (this.#sampleRate !== 0 && this.#sampleRate !== sampleRate) return this.#fail(new ServiceError("engine_failed"));
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

  #offerDue(nowMs: number): void {
    const { aheadMs, windowChunks } = this.#settings.pacing;
    let atWork = 0;
    let comingMs = 0;
    for (const work of this.#work) {
      const waited = work.state === "waiting";
      if (waited && (this.#held || atWork >= windowChunks || this.#playout.aheadMs(nowMs) + comingMs >= aheadMs))
        return;
      if (waited) {
        this.#waitingBytes -= work.textBytes;
        this.#waitingCharacters -= work.piece.text.length;
      }
      if (work.isDue(nowMs)) this.submissions.offer(work, this.#slackMs(work, comingMs, nowMs), nowMs);
      if (this.#over) return;
      atWork++;
      comingMs += this.#comingMs(work);
    }
  }

  /** Text that came after the client ran dry starts a new count: nobody waited for it before. */
  #slackMs(work: ChunkWork, comingMs: number, nowMs: number): number {
    const dryAtMs = Math.max(this.#playout.endsAtMs, work.addedAtMs + this.#settings.firstAudioGoalMs);
    return Math.round(dryAtMs + comingMs - nowMs);
  }

  /** Audio that is guessed to be on its way for a chunk. */
  #comingMs(work: ChunkWork): number {
    if (work.assembler.complete) return (work.untakenSamples / Math.max(1, work.assembler.sampleRate)) * 1000;
    const receivedMs =
      work.assembler.sampleRate === 0 ? 0 : (work.assembler.samples / work.assembler.sampleRate) * 1000;
    const restMs = Math.max(0, this.#playout.estimateMs(work.piece.text.length) - receivedMs);
    return restMs + (work.chunkIndex === this.#given ? 0 : receivedMs);
  }

  #fail(error: ServiceError): void {
    if (this.#over) return;
    this.#give({ type: "failed", error });
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#work.length = 0;
    this.#waitingBytes = 0;
    this.#waitingCharacters = 0;
    this.submissions.cancelAll();
  }

  #give(event: StreamEvent): void {
    this.#events.push(event);
  }
}
