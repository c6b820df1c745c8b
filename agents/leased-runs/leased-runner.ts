import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Reply } from "#protocol/bus/control";
import {
  type FinishRun,
  type HeldRun,
  RUN_INTERVAL_MS,
  type TakeRun,
  type TakeRunReply,
} from "#protocol/bus/leased-runs";

const ANSWER_MS = 5000;
/** Between two attempts to report a result. */
const REPORT_AGAIN_MS = 1000;
/** Larger results do not go over the bus; bytes of JSON. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024;

export interface LeasedRunnerOptions<Job extends HeldRun, Result extends { status: string }> {
  bus: Pick<Bus, "request" | "subscribe">;
  clock: Clock;
  log: Logger;
  /** Where a run is taken and its result reported, and what says that there are runs. */
  subjects: { take: string; finish: string; queued: string };
  /** Runs at once. */
  places: number;
  /** Does a run; rejects only where the signal fires. */
  run(job: Job, signal: AbortSignal): Promise<Result>;
  /** Stored in place of a result that is too large. */
  tooLarge: Result;
  metrics: RunMetrics<Result["status"]>;
}

/** What a runtime counts of its runs. */
export interface RunMetrics<Status extends string> {
  /** `lost`: another runtime has it now, or it was given back. */
  over(outcome: Status | "lost"): void;
}

/** A run that is held here, until its result is stored or it is somebody else's. */
interface Held {
  attempt: number;
  controller: AbortController;
}

/** Takes runs from the control plane, as many as there are places, does them, and reports what came of them. */
export class LeasedRunner<Job extends HeldRun, Result extends { status: string }> {
  readonly #options: LeasedRunnerOptions<Job, Result>;
  readonly #held = new Map<string, Held>();
  readonly #queued: { unsubscribe(): void };
  #released: HeldRun[] = [];
  #isAsking = false;
  #asksAgain = false;
  #isClosed = false;
  #isDraining = false;
  #cancelTick: () => void = () => undefined;

  constructor(options: LeasedRunnerOptions<Job, Result>) {
    this.#options = options;
    this.#queued = options.bus.subscribe(options.subjects.queued, () => this.#wake());
    this.#tick();
  }

  /** Runs that are held here. */
  get active(): number {
    return this.#held.size;
  }

  /** Takes no more, and gives back what is not finished. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const [runId, { attempt, controller }] of this.#held) {
      this.#released.push({ runId, attempt });
      controller.abort();
      this.#options.metrics.over("lost");
    }
    this.#held.clear();
    if (this.#released.length > 0) await this.#ask();
  }

  /** Lets go of everything at once; what is held goes to others when its lease is over. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTick();
    this.#queued.unsubscribe();
    for (const { controller } of this.#held.values()) controller.abort();
    this.#held.clear();
  }

  #tick(): void {
    if (this.#isClosed) return;
    this.#cancelTick = this.#options.clock.after(RUN_INTERVAL_MS, () => this.#tick());
    this.#wake();
  }

  /** Asks now, and once more after the question that is under way. */
  #wake(): void {
    if (this.#isAsking) {
      this.#asksAgain = true;
      return;
    }
    this.#isAsking = true;
    void this.#askWhileThereAreRuns().finally(() => {
      this.#isAsking = false;
      if (!this.#asksAgain) return;
      this.#asksAgain = false;
      this.#wake();
    });
  }

  async #askWhileThereAreRuns(): Promise<void> {
    while (!this.#isClosed && (await this.#ask()));
  }

  /** One question; true where a run was given, so that there may be more. */
  async #ask(): Promise<boolean> {
    const { bus, subjects, places, log } = this.#options;
    const released = this.#released.splice(0);
    const question: TakeRun = {
      wantsOne: !this.#isDraining && this.#held.size < places,
      held: [...this.#held].map(([runId, { attempt }]) => ({ runId, attempt })),
      released,
    };
    let reply: Reply<TakeRunReply<Job>>;
    try {
      reply = await bus.request<Reply<TakeRunReply<Job>>>(subjects.take, question, {
        timeoutMs: ANSWER_MS,
        dependency: "The control plane",
      });
    } catch (error) {
      // Leases last for several questions.
      log.debug({ err: error }, "nobody answers for runs");
      this.#released.unshift(...released);
      return false;
    }
    if (!reply.ok) return false;
    for (const runId of reply.value.lost) this.#lose(runId, question.held);
    const { job } = reply.value;
    if (job === null) return false;
    if (this.#isClosed) return false;
    if (this.#isDraining) this.#released.push({ runId: job.runId, attempt: job.attempt });
    else this.#start(job);
    return true;
  }

  #lose(runId: string, asked: readonly HeldRun[]): void {
    const held = this.#held.get(runId);
    // One that was taken again since the question is not the one that it asked about.
    if (held === undefined || !asked.some((run) => run.runId === runId && run.attempt === held.attempt)) return;
    this.#held.delete(runId);
    held.controller.abort();
    this.#options.metrics.over("lost");
  }

  #start(job: Job): void {
    const { run, log } = this.#options;
    const held: Held = { attempt: job.attempt, controller: new AbortController() };
    this.#held.get(job.runId)?.controller.abort();
    this.#held.set(job.runId, held);
    run(job, held.controller.signal)
      .then((result) => this.#report(job, held, result))
      .catch((error: unknown) => {
        if (held.controller.signal.aborted) return;
        log.error({ err: error, runId: job.runId }, "a run failed within; another attempt follows");
        if (this.#held.get(job.runId) === held) this.#held.delete(job.runId);
      });
  }

  /** Reports until somebody has stored it, or the run is somebody else's. */
  async #report({ runId, attempt }: Job, held: Held, found: Result): Promise<void> {
    const { bus, clock, subjects, tooLarge, metrics } = this.#options;
    const isTooLarge = Buffer.byteLength(JSON.stringify(found)) > MAX_RESULT_BYTES;
    const result = isTooLarge ? tooLarge : found;
    const message: FinishRun<Result> = { runId, attempt, result };
    while (this.#held.get(runId) === held) {
      const reply = await bus
        .request<Reply<object>>(subjects.finish, message, { timeoutMs: ANSWER_MS, dependency: "The control plane" })
        .catch(() => null); // the control plane or the bus is away: the lease is renewed until it is back
      if (this.#held.get(runId) !== held) return;
      if (reply?.ok === true) {
        this.#held.delete(runId);
        metrics.over(result.status);
        return this.#wake();
      }
      await new Promise<void>((resolve) => void clock.after(REPORT_AGAIN_MS, resolve));
    }
  }
}
