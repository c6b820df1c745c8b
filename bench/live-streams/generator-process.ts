import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { closeAudible } from "../audible.js";
import { seededRandom } from "../simulation/random.js";
import type { GeneratorReport, GeneratorTask } from "./messages.js";
import { Onsets, reportOf, speakAt } from "./speaker.js";
import { texts } from "./texts.js";
import { raisePriority, serveTask } from "../task-process.js";

// The load generator, a process of its own.

/** The lag is measured with a timer of this period, which is part of what the histogram holds. */
const PROBE_MS = 1;
/** Between the start of the process and its first socket. */
const REST_MS = 500;

async function generate(task: GeneratorTask): Promise<GeneratorReport> {
  if (task.isUrgent) raisePriority();
  const random = seededRandom(task.seed);
  const beginMs = performance.now() + task.headStartMs + REST_MS;
  const lag = monitorEventLoopDelay({ resolution: PROBE_MS });
  let nextMs = beginMs;
  const running = Array.from({ length: task.streams }, (_, i) => {
    const index = i % texts.length;
    const stream = speakAt(task, { index, words: texts[index] ?? "" }, nextMs);
    nextMs += random.exponential(task.rampMs / task.streams);
    return stream;
  });
  await delay(beginMs - performance.now());
  lag.enable();
  const before = process.cpuUsage();
  const spoken = await Promise.all(running);
  const wallMs = performance.now() - beginMs;
  const used = process.cpuUsage(before);
  lag.disable();
  const onsets = new Onsets(task.audio);
  const report: GeneratorReport = {
    streams: await Promise.all(spoken.map((stream) => reportOf(stream, task.audio, onsets, beginMs))),
    wallMs,
    processorShare: (used.user + used.system) / 1000 / wallMs,
    lagP99Ms: lag.percentile(99) / 1e6 - PROBE_MS,
    lagMaxMs: lag.max / 1e6 - PROBE_MS,
  };
  await closeAudible();
  return report;
}

serveTask(generate);
