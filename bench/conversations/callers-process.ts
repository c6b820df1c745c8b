import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { dispose } from "@livekit/rtc-node";
import { seededRandom } from "../simulation/random.js";
import { BenchCaller } from "./caller.js";
import type { CallerReport, CallersReport, CallersTask, CallerTask, StepReport } from "./messages.js";

// The callers of one run, a process of their own: takes one task from its parent, answers with one report, ends.

/** The lag is measured with a timer of this period, which is part of what the histogram holds. */
const PROBE_MS = 1;

/** A caller in its room, or why it could not come. */
type Joined = { caller: BenchCaller } | { problem: string };

async function hold(task: CallersTask): Promise<CallersReport> {
  const random = seededRandom(task.seed);
  const lag = monitorEventLoopDelay({ resolution: PROBE_MS });
  const joined: Joined[] = [];
  for (const { url, token } of task.callers) {
    const options = { url, token, clips: task.clips, random: () => random.next() };
    joined.push(
      await BenchCaller.join(options).then(
        (caller) => ({ caller }),
        (error: unknown) => ({ problem: String(error) }),
      ),
    );
  }
  const [beginMs, before] = [performance.now(), process.cpuUsage()];
  lag.enable();
  const reports = await Promise.all(task.callers.map((one, at) => follow(one, joined[at])));
  const wallMs = performance.now() - beginMs;
  const used = process.cpuUsage(before);
  lag.disable();
  return {
    callers: reports,
    firstAnswer: firstAnswerOf(joined[0], reports[0]),
    wallMs,
    processorShare: (used.user + used.system) / 1000 / wallMs,
    lagP99Ms: lag.percentile(99) / 1e6 - PROBE_MS,
    lagMaxMs: lag.max / 1e6 - PROBE_MS,
  };
}

async function follow({ startAfterMs, steps: wanted }: CallerTask, joined: Joined | undefined): Promise<CallerReport> {
  const steps: StepReport[] = [];
  if (joined === undefined || "problem" in joined) return { steps, problem: joined?.problem ?? "it did not join" };
  try {
    await delay(startAfterMs);
    for (const step of wanted) steps.push(await joined.caller.perform(step));
    return { steps, problem: null };
  } catch (error) {
    return { steps, problem: String(error) };
  } finally {
    await joined.caller.leave();
  }
}

function firstAnswerOf(joined: Joined | undefined, report: CallerReport | undefined): string {
  const first = report?.steps[0];
  if (joined === undefined || "problem" in joined || first?.type !== "question" || first.audibleAtMs === null)
    return "";
  const { audibleAtMs, spanMs } = first;
  return Buffer.from(joined.caller.received(audibleAtMs, audibleAtMs + spanMs).buffer).toString("base64");
}

process.once("message", (task: CallersTask) => {
  void hold(task).then((report) => process.send?.(report));
});
// Who asked has read what this process used.
process.once("disconnect", () => {
  void dispose().then(() => process.exit(0));
});
