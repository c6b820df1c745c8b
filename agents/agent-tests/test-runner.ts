import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Metrics } from "#common/metrics/registry";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  type FinishTestRun,
  type HeldTestRun,
  TEST_RUN_INTERVAL_MS,
  type TakeTestRun,
  type TakeTestRunReply,
  type TestRunJob,
  testRunsQueuedSubject,
} from "#protocol/bus/test-runs";

const ANSWER_MS = 5000;
/** Between two attempts to report a result. */
const REPORT_AGAIN_MS = 1000;
/** Larger results do not go over the bus; bytes of JSON. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024;

export interface TestRunnerOptions {
  bus: Pick<Bus, "request" | "subscribe">;
  clock: Clock;
  log: Logger;
  /** Runs at once. */
  places: number;
  /** Runs a test; rejects only where the signal fires. */
  run(job: TestRunJob, signal: AbortSignal): Promise<TestRunResult>;
  metrics: TestRunMetrics;
}

/** What a runtime counts of its test runs. */
export interface TestRunMetrics {
  over(outcome: TestRunResult["status"] | "lost"): void;
}

/** Opens what is counted of test runs; `active` is read when it is scraped. */
export function createTestRunMetrics(metrics: Metrics, active: () => number): TestRunMetrics {
  metrics.gauge("parley_test_runs_active", active);
  const over = metrics.counter("parley_test_runs_total");
  return { over: (outcome) => over({ outcome }) };
}

/** A run that is held here, until its result is stored or it is somebody else's. */
interface Held {
  attempt: number;
  controller: AbortController;
}

/** Takes test runs from the control plane, as many as there are places, and reports what they found out. */
export class TestRunner {
  readonly #options: TestRunnerOptions;
  readonly #held = new Map<string, Held>();
  readonly #queued: { unsubscribe(): void };
  #released: HeldTestRun[] = [];
  #isAsking = false;
  #asksAgain = false;
  #isClosed = false;
  #isDraining = false;
  #cancelTick: () => void = () => undefined;

  constructor(options: TestRunnerOptions) {
    this.#options = options;
    this.#queued = options.bus.subscribe(testRunsQueuedSubject, () => this.#wake());
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
    this.#cancelTick = this.#options.clock.after(TEST_RUN_INTERVAL_MS, () => this.#tick());
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
    const { bus, places, log } = this.#options;
    const released = this.#released.splice(0);
    const question: TakeTestRun = {
      wantsOne: !this.#isDraining && this.#held.size < places,
      held: [...this.#held].map(([runId, { attempt }]) => ({ runId, attempt })),
      released,
    };
    let reply: Reply<TakeTestRunReply>;
    try {
      reply = await bus.request<Reply<TakeTestRunReply>>(controlSubjects.takeTestRun, question, {
        timeoutMs: ANSWER_MS,
        dependency: "The control plane",
      });
    } catch (error) {
      // Leases last for several questions.
      log.debug({ err: error }, "nobody answers for test runs");
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

  #lose(runId: string, asked: readonly HeldTestRun[]): void {
    const held = this.#held.get(runId);
    // One that was taken again since the question is not the one that it asked about.
    if (held === undefined || !asked.some((run) => run.runId === runId && run.attempt === held.attempt)) return;
    this.#held.delete(runId);
    held.controller.abort();
    this.#options.metrics.over("lost");
  }

  #start(job: TestRunJob): void {
    const { run, log } = this.#options;
    const held: Held = { attempt: job.attempt, controller: new AbortController() };
    this.#held.get(job.runId)?.controller.abort();
    this.#held.set(job.runId, held);
    run(job, held.controller.signal)
      .then((result) => this.#report(job, held, result))
      .catch((error: unknown) => {
        if (held.controller.signal.aborted) return;
        log.error({ err: error, runId: job.runId }, "a test run failed within; another attempt follows");
        if (this.#held.get(job.runId) === held) this.#held.delete(job.runId);
      });
  }

  /** Reports until somebody has stored it, or the run is somebody else's. */
  async #report({ runId, attempt }: TestRunJob, held: Held, found: TestRunResult): Promise<void> {
    const { bus, clock, metrics } = this.#options;
    const isTooLarge = Buffer.byteLength(JSON.stringify(found)) > MAX_RESULT_BYTES;
    const result: TestRunResult = isTooLarge
      ? { ...noResultYet, status: "error", error: "What was said and done in the run is too large to be stored" }
      : found;
    const message: FinishTestRun = { runId, attempt, result };
    while (this.#held.get(runId) === held) {
      const reply = await bus
        .request<Reply<object>>(controlSubjects.finishTestRun, message, {
          timeoutMs: ANSWER_MS,
          dependency: "The control plane",
        })
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
