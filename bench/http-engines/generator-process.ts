import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../simulation/random.js";
import { percentile } from "../statistics.js";
import { AnswerReader, dial, requests } from "./http-client.js";
import { FRAME_MS, type GeneratorTask, monotonicMs, type PlayReport, type RequestsReport } from "./messages.js";
import { openRawWebSocket, type RawWebSocket, sendText } from "./socket-client.js";

// The load generator, a process of its own: carries out one task after the other and answers each.

/** The lag is measured with a timer of this period, which is part of what the histogram holds. */
const PROBE_MS = 1;
/** Connections that are being opened at once. */
const OPENING = 50;
/** From the order to play until the first frames are due. */
const LEAD_MS = 300;

let opened: RawWebSocket[] = [];

/** Each connection asks again as soon as it has its answer. */
async function ask(task: Extract<GeneratorTask, { kind: "requests" }>): Promise<RequestsReport> {
  const request = requests[task.request];
  let [answers, isOver] = [0, false];
  const readers: AnswerReader[] = [];
  const connections = await Promise.all(
    Array.from({ length: task.connections }, async () => {
      const reader = new AnswerReader();
      readers.push(reader);
      const socket = await dial(task.port, (bytes) => {
        if (!reader.take(bytes)) return;
        answers++;
        if (!isOver) socket.write(request);
      });
      socket.on("close", () => (reader.errors += isOver ? 0 : 1));
      return socket;
    }),
  );
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  for (const socket of connections) socket.write(request);
  await delay(task.durationMs);
  isOver = true;
  const wallMs = performance.now() - startMs;
  const report = { answers, errors: 0, wallMs, processorShare: processorMs(before) / wallMs };
  // Answers that are still on their way.
  await delay(50);
  for (const socket of connections) socket.destroy();
  return { ...report, errors: readers.reduce((sum, { errors }) => sum + errors, 0) };
}

async function open({ port, path, sockets }: Extract<GeneratorTask, { kind: "open" }>): Promise<number> {
  while (opened.length < sockets) {
    const missing = Math.min(OPENING, sockets - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: missing }, () => openRawWebSocket(port, path)))));
  }
  return opened.length;
}

/** Has every open socket play at once, each with its frames due at other times than the others'. */
async function play({ frames }: Extract<GeneratorTask, { kind: "play" }>): Promise<PlayReport> {
  const random = seededRandom(1);
  const [lateness, transit]: [number[], number[]] = [[], []];
  const beginMs = monotonicMs() + LEAD_MS;
  const ended = opened.map((webSocket) => {
    let received = 0;
    return new Promise<void>((resolve) => {
      webSocket.socket.once("close", resolve);
      webSocket.onFrame = (audio) => {
        const nowMs = monotonicMs();
        lateness.push(nowMs - audio.readDoubleLE(0));
        transit.push(nowMs - audio.readDoubleLE(8));
        if (++received === frames) resolve();
      };
    });
  });
  for (const webSocket of opened)
    sendText(webSocket, JSON.stringify({ frames, startMs: beginMs + random.next() * FRAME_MS }));
  await delay(LEAD_MS);
  const lag = monitorEventLoopDelay({ resolution: PROBE_MS });
  lag.enable();
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(ended);
  lag.disable();
  const processorShare = processorMs(before) / (performance.now() - startMs);
  const missing = frames * opened.length - lateness.length;
  const both = (values: number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
  return {
    frames: lateness.length,
    errors: missing + opened.filter(({ isBroken }) => isBroken).length,
    latenessMs: both(lateness),
    transitMs: both(transit),
    lagP99Ms: lag.percentile(99) / 1e6 - PROBE_MS,
    processorShare,
  };
}

function close(): number {
  const closed = opened.length;
  for (const { socket } of opened) socket.destroy();
  opened = [];
  return closed;
}

function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function carryOut(task: GeneratorTask): Promise<RequestsReport | PlayReport | number> {
  switch (task.kind) {
    case "requests":
      return await ask(task);
    case "open":
      return await open(task);
    case "play":
      return await play(task);
    case "close":
      return close();
  }
}

process.on("message", (task: GeneratorTask) => {
  carryOut(task).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
