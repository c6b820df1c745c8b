import type { Bus, Subscription } from "#common/bus/bus";
import { controlSubjects } from "#protocol/bus/control";
import type { FinishRun, TakeRun, TakeRunReply } from "#protocol/bus/leased-runs";
import { type TestRunJob, testRunsQueuedSubject } from "#protocol/bus/test-runs";
import type { TestRunResult } from "#protocol/agents/test-runs";
import { finishRun, type RunQueue, takeRun } from "./run-queue.js";

/** Answers one control subject. */
type Answer = <Q, T>(subject: string, work: (question: Q) => Promise<T>) => Subscription;

/** Answers what runtimes ask and report of test runs, from now on. */
export function answerTestRuns(
  options: Omit<RunQueue, "since"> & { bus: Pick<Bus, "publish"> },
  answer: Answer,
): Subscription[] {
  const queue: RunQueue = { ...options, since: options.now() };
  return [
    answer<TakeRun, TakeRunReply<TestRunJob>>(controlSubjects.takeTestRun, async (question) => {
      const reply = await takeRun(queue, question);
      if (question.released.length > 0) options.bus.publish(testRunsQueuedSubject, {});
      return reply;
    }),
    answer<FinishRun<TestRunResult>, object>(controlSubjects.finishTestRun, async (finished) => {
      await finishRun(queue, finished);
      return {};
    }),
  ];
}
