import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import type { ClientTask, TalkReport, Target } from "./messages.js";

// The clients' side of all sockets, a process of its own: carries out one task after the other.

/** Sockets that are being opened at once. */
const OPENING = 50;

const sockets: WebSocket[] = [];
let brokenSockets = 0;

async function open({ url, headers }: Target, count: number): Promise<WebSocket[]> {
  const opened: WebSocket[] = [];
  const openNext = async (): Promise<void> => {
    while (opened.length < count) {
      const socket = new WebSocket(url, { headers, perMessageDeflate: false });
      opened.push(socket);
      socket.on("close", () => (brokenSockets += 1));
      await once(socket, "open");
    }
  };
  await Promise.all(Array.from({ length: OPENING }, openNext));
  sockets.push(...opened);
  return opened;
}

async function talk(task: Extract<ClientTask, { kind: "talk" }>): Promise<TalkReport> {
  const report: TalkReport = { receivedFrames: 0, receivedBytes: 0, silentTurns: 0, brokenSockets: 0 };
  const active = await open(task.target, task.sockets);
  const startMs = performance.now() + task.everyMs / task.sockets;
  const speak = async (socket: WebSocket, index: number): Promise<void> => {
    let isAnswered = false;
    socket.on("message", (data: Buffer) => {
      isAnswered = true;
      report.receivedFrames += 1;
      report.receivedBytes += data.byteLength;
    });
    for (const frame of task.opening) socket.send(frame);
    for (let turn = 0; turn < task.turns; turn++) {
      const atMs = startMs + (turn + index / task.sockets) * task.everyMs;
      await delay(Math.max(0, atMs - performance.now()));
      isAnswered = false;
      for (const frame of task.turn) socket.send(frame);
      await delay(Math.max(0, atMs + task.everyMs - performance.now()));
      if (!isAnswered) report.silentTurns += 1;
    }
  };
  await Promise.all(active.map(speak));
  return { ...report, brokenSockets };
}

async function carryOut(task: ClientTask): Promise<TalkReport> {
  if (task.kind === "talk") return await talk(task);
  if (task.kind === "open") await open(task.target, task.sockets);
  else {
    for (const socket of sockets) socket.removeAllListeners("close");
    for (const socket of sockets.splice(0)) socket.terminate();
  }
  return { receivedFrames: 0, receivedBytes: 0, silentTurns: 0, brokenSockets };
}

process.on("message", (task: ClientTask) => void carryOut(task).then((report) => process.send?.(report)));
process.on("disconnect", () => process.exit(0));
