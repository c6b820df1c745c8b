import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { raisePriority, serveTask } from "../task-process.js";
import type { EchoBurstReport, EchoBurstTask } from "./messages.js";

// Sends as many frames at once to a server that only sends them back, a process of its own: what the way there and back costs.

const server = fileURLToPath(new URL("../sockets/echo-process.js", import.meta.url));
/** Between the last of the connections, or of the answers, and the frames. */
const REST_MS = 500;

async function send({ frames, bytes, rounds }: EchoBurstTask): Promise<EchoBurstReport> {
  raisePriority();
  const echo = fork(server);
  const [{ port }] = (await once(echo, "message")) as [{ port: number }];
  const sockets = await Promise.all(Array.from({ length: frames }, () => connect(`ws://127.0.0.1:${port}`)));
  const answeredMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await delay(REST_MS);
    const dueMs = performance.now();
    const answers = sockets.map(async (socket) => {
      const answer = once(socket, "message");
      socket.send(Buffer.alloc(bytes));
      await answer;
      return performance.now() - dueMs;
    });
    answeredMs.push(...(await Promise.all(answers)));
  }
  for (const socket of sockets) socket.terminate();
  echo.disconnect();
  return { answeredMs };
}

async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, "open");
  return socket;
}

serveTask(send);
