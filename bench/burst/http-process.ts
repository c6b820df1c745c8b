import { once } from "node:events";
import { Agent, get, type IncomingMessage, request } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { closeAudible, durationMs } from "../audible.js";
import { type Arrival, arrivalOf } from "../live-socket.js";
import { STORE_MS } from "../live-streams/messages.js";
import { playBack } from "../live-streams/player.js";
import { Onsets } from "../live-streams/speaker.js";
import { texts } from "../live-streams/texts.js";
import { raisePriority, serveTask } from "../task-process.js";
import type { BurstOutcome, HttpBurstReport, HttpBurstTask } from "./messages.js";

// Sends many texts at once over HTTP, a process of its own.

/** Between the last of the connections and the texts. */
const REST_MS = 1000;
/** The lag is measured with a timer of this period, which is part of what the histogram holds. */
const PROBE_MS = 1;

/** An answer as it came. */
interface Answer {
  text: number;
  status: number;
  retryAfter: string | undefined;
  headAtMs: number;
  endedAtMs: number;
  arrivals: Arrival[];
  bytes: Buffer;
  problem: string | null;
}

async function send(task: HttpBurstTask): Promise<HttpBurstReport> {
  raisePriority();
  const agent = new Agent({ keepAlive: true, maxSockets: task.requests });
  await Promise.all(Array.from({ length: task.requests }, () => connect(task.baseUrl, agent)));
  await delay(REST_MS);
  const lag = monitorEventLoopDelay({ resolution: PROBE_MS });
  lag.enable();
  const dueMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: task.requests }, (_, i) => speak(task, agent, i % texts.length)),
  );
  lag.disable();
  agent.destroy();
  const onsets = new Onsets({ format: "pcm", sampleRate: task.sampleRate });
  const outcomes = await Promise.all(answers.map((answer) => outcomeOf(answer, { task, onsets, dueMs })));
  await closeAudible();
  return { outcomes, lagP99Ms: lag.percentile(99) / 1e6 - PROBE_MS };
}

/** Leaves an open connection in the agent. */
async function connect(baseUrl: string, agent: Agent): Promise<void> {
  const [answer] = (await once(get(`${baseUrl}/health`, { agent }), "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
}

/** Never rejects. */
function speak({ baseUrl, apiKey, sampleRate }: HttpBurstTask, agent: Agent, text: number): Promise<Answer> {
  // As one whose player waits for it.
  const asked = { text: texts[text], format: "pcm", sample_rate: sampleRate, latency: "low" };
  const body = Buffer.from(JSON.stringify(asked));
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  return new Promise((resolve) => {
    const answer: Answer = {
      ...{ text, status: 0, retryAfter: undefined, headAtMs: Number.NaN, endedAtMs: Number.NaN },
      ...{ arrivals: [], bytes: Buffer.alloc(0), problem: null },
    };
    const end = (problem: string | null): void => resolve({ ...answer, problem, endedAtMs: performance.now() });
    const sent = request(`${baseUrl}/v1/tts`, { method: "POST", agent, headers }, (received) => {
      answer.headAtMs = performance.now();
      answer.status = received.statusCode ?? 0;
      answer.retryAfter = received.headers["retry-after"];
      const parts: Buffer[] = [];
      received.on("data", (part: Buffer) => {
        parts.push(part);
        answer.arrivals.push({ atMs: performance.now(), bytes: part.length });
      });
      received.on("error", (error) => end(error.message));
      received.on("end", () => {
        answer.bytes = Buffer.concat(parts);
        end(answer.status === 200 ? null : `${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
      });
    });
    sent.on("error", (error) => end(error.message));
    sent.end(body);
  });
}

async function outcomeOf(
  answer: Answer,
  { task, onsets, dueMs }: { task: HttpBurstTask; onsets: Onsets; dueMs: number },
): Promise<BurstOutcome> {
  const { status, problem, retryAfter, headAtMs, endedAtMs, arrivals } = answer;
  const nothing = { firstAudioMs: Number.NaN, hasGap: false };
  if (status === 503) {
    const hasRetryAfter = retryAfter !== undefined;
    return { ...nothing, end: "refused", endedMs: headAtMs - dueMs, hasRetryAfter, problem };
  }
  const audio = { format: "pcm", sampleRate: task.sampleRate } as const;
  const onset = problem === null ? await onsets.of(answer.text, answer.bytes) : null;
  if (onset === null) {
    const why = problem ?? "the audio is silence";
    return { ...nothing, end: "failed", endedMs: endedAtMs - dueMs, hasRetryAfter: null, problem: why };
  }
  const first = arrivalOf(onset.neededBytes, arrivals);
  const received = arrivals.map(({ atMs, bytes }) => ({ atMs, durationMs: durationMs(bytes, audio) }));
  const { underruns } = playBack(received, { silenceMs: onset.leadingMs, preBufferMs: STORE_MS });
  return {
    end: "spoken",
    firstAudioMs: (first?.atMs ?? Number.NaN) - dueMs,
    endedMs: endedAtMs - dueMs,
    hasGap: underruns > 0,
    hasRetryAfter: null,
    problem: null,
  };
}

serveTask(send);
