import type { AnalysisResult } from "#protocol/agents/analysis";
import { analysesQueuedSubject, type AnalysisJob } from "#protocol/bus/analyses";
import { controlSubjects } from "#protocol/bus/control";
import type { FinishRun, TakeRun, TakeRunReply } from "#protocol/bus/leased-runs";
import type { Subscription } from "#common/bus/bus";
import { type AnalysisQueue, takeAnalysis } from "./queue.js";
import { settleAttempt } from "./settle.js";

/** Answers one control subject. */
type Answer = <Q, T>(subject: string, work: (question: Q) => Promise<T>) => Subscription;

/** Answers what runtimes ask and report of analyses, from now on. */
export function answerAnalyses(context: Omit<AnalysisQueue, "since">, answer: Answer): Subscription[] {
  const queue: AnalysisQueue = { ...context, since: context.now() };
  return [
    answer<TakeRun, TakeRunReply<AnalysisJob>>(controlSubjects.takeAnalysis, async (question) => {
      const reply = await takeAnalysis(queue, question);
      if (question.released.length > 0) context.bus.publish(analysesQueuedSubject, {});
      return reply;
    }),
    answer<FinishRun<AnalysisResult>, object>(controlSubjects.finishAnalysis, async (finished) => {
      await settleAttempt(queue, finished);
      return {};
    }),
  ];
}
