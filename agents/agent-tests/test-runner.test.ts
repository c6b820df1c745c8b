import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  type FinishRun,
  type HeldRun,
  RUN_INTERVAL_MS,
  type TakeRun,
  type TakeRunReply,
} from "#protocol/bus/leased-runs";
import { type TestRunJob, testRunsQueuedSubject } from "#protocol/bus/test-runs";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { openTestRunner } from "./test-runner.js";

const passed: TestRunResult = { ...noResultYet, status: "passed" };

/** A runner with a control plane that does what the test says. */
function start(places: number) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const queue: HeldRun[] = [];
  const asked: TakeRun[] = [];
  const finished: FinishRun<TestRunResult>[] = [];
  const outcomes: string[] = [];
  const under = new Map<string, { finish: (result: TestRunResult) => void; signal: AbortSignal }>();
  const control = { lost: [] as string[], isAway: false };
  const refusal = (): Reply<never> => ({
    ok: false,
    error: toErrorRecord(new ServiceError("dependency_unavailable", { parameters: { dependency: "The database" } })),
  });
  bus.respond<TakeRun, Reply<TakeRunReply<TestRunJob>>>(controlSubjects.takeTestRun, async (question) => {
    asked.push(question);
    const job = question.wantsOne ? ((queue.shift() ?? null) as TestRunJob | null) : null;
    return { ok: true, value: { job, lost: control.lost.splice(0) } };
  });
  bus.respond<FinishRun<TestRunResult>, Reply<object>>(controlSubjects.finishTestRun, async (message) => {
    if (control.isAway) return refusal();
    finished.push(message);
    return { ok: true, value: {} };
  });
  const runner = openTestRunner({
    ...{ bus, clock, places, log: pino({ level: "silent" }) },
    run: (job, signal) =>
      new Promise((resolve, reject) => {
        under.set(job.runId, { finish: resolve, signal });
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
    metrics: { over: (outcome) => void outcomes.push(outcome) },
  });
  /** Puts runs into the queue, and says so. */
  const give = async (...runs: HeldRun[]): Promise<void> => {
    queue.push(...runs);
    bus.publish(testRunsQueuedSubject, {});
    await settled();
  };
  return { clock, give, asked, finished, outcomes, under, control, runner };
}

/** All that is under way within the process has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a runner of tests", () => {
  it("takes as many runs as it has places, at once when there are any, and the next one when one is over", async () => {
    const { give, under, runner, finished, outcomes } = start(2);
    await settled();
    await give(...["a", "b", "c"].map((runId) => ({ runId, attempt: 1 })));
    expect([...under.keys()]).toEqual(["a", "b"]);
    under.get("a")?.finish(passed);
    await settled();
    expect([...under.keys()]).toEqual(["a", "b", "c"]);
    expect(finished).toEqual([{ runId: "a", attempt: 1, result: passed }]);
    expect([runner.active, outcomes]).toEqual([2, ["passed"]]);
    runner.close();
  });

  it("says every two seconds what it holds", async () => {
    const { clock, give, asked, runner } = start(4);
    await give({ runId: "a", attempt: 3 });
    const before = asked.length;
    clock.advance(RUN_INTERVAL_MS);
    await settled();
    expect(asked.slice(before)).toEqual([{ wantsOne: true, held: [{ runId: "a", attempt: 3 }], released: [] }]);
    runner.close();
  });

  it("lets go of what is somebody else's, and reports nothing of it", async () => {
    const { clock, give, under, control, runner, finished, outcomes } = start(4);
    await give({ runId: "a", attempt: 1 });
    control.lost.push("a");
    clock.advance(RUN_INTERVAL_MS);
    await settled();
    expect([under.get("a")?.signal.aborted, runner.active, finished, outcomes]).toEqual([true, 0, [], ["lost"]]);
    runner.close();
  });

  it("reports until the result is stored, and holds the run meanwhile", async () => {
    const { clock, give, under, control, runner, finished } = start(4);
    await give({ runId: "a", attempt: 1 });
    control.isAway = true;
    under.get("a")?.finish(passed);
    await settled();
    clock.advance(1000);
    await settled();
    expect([finished, runner.active]).toEqual([[], 1]);
    control.isAway = false;
    clock.advance(1000);
    await settled();
    expect([finished.length, runner.active]).toEqual([1, 0]);
    clock.advance(60_000);
    await settled();
    expect(finished).toHaveLength(1);
    runner.close();
  });

  it("gives back what it holds when it is stopped, and takes no more", async () => {
    const { give, under, asked, runner } = start(4);
    await give({ runId: "a", attempt: 2 });
    await runner.drain();
    expect(under.get("a")?.signal.aborted).toBe(true);
    expect(asked.at(-1)).toEqual({ wantsOne: false, held: [], released: [{ runId: "a", attempt: 2 }] });
    await give({ runId: "b", attempt: 1 });
    expect([...under.keys()]).toEqual(["a"]);
    runner.close();
  });

  it("replaces a result that is too large to be sent", async () => {
    const { give, under, runner, finished } = start(4);
    await give({ runId: "a", attempt: 1 });
    under.get("a")?.finish({ ...passed, agent_reply: "x".repeat(5_000_000) });
    await settled();
    expect(finished[0]?.result).toMatchObject({ status: "error", error: expect.stringContaining("too large") });
    runner.close();
  });
});
