import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { z } from "zod";
import { type CpuProfile, cpuProfile } from "./cpu-profile.js";

const SAMPLE_US = 500;
const OPEN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

const reply = z.object({ id: z.number(), result: z.object({ profile: z.unknown() }).partial().optional() });

/** A profiler of one running Node.js process's event loop. */
export interface Profiler {
  stop(): Promise<CpuProfile>;
}

/**
 * Has a process open its inspector (SIGUSR1; started with `--inspect-port=0`, or several would want the same port) and
 * profiles it from then on. `readLog` gives what the process has written so far, where the inspector's address stands.
 */
export async function startProfiler(pid: number, readLog: () => string): Promise<Profiler> {
  const before = addressesIn(readLog()).length;
  process.kill(pid, "SIGUSR1");
  const deadlineMs = performance.now() + OPEN_MS;
  let address: string | undefined;
  for (; address === undefined; address = addressesIn(readLog())[before]) {
    if (performance.now() > deadlineMs) throw new Error(`process ${pid} opened no inspector`);
    await delay(LOOK_AGAIN_MS);
  }
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 2 ** 30 });
  await once(socket, "open");
  let calls = 0;
  const call = async (method: string, params: object = {}): Promise<z.infer<typeof reply>> => {
    const id = ++calls;
    const answered = new Promise<z.infer<typeof reply>>((resolve, reject) => {
      const onMessage = (data: Buffer): void => {
        const message = reply.safeParse(JSON.parse(data.toString()));
        if (message.data?.id !== id) return;
        socket.off("message", onMessage);
        resolve(message.data);
      };
      socket.on("message", onMessage);
      socket.once("close", () => reject(new Error(`process ${pid} closed its inspector`)));
    });
    socket.send(JSON.stringify({ id, method, params }));
    return await answered;
  };
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await call("Profiler.start");
  return {
    async stop() {
      const { result } = await call("Profiler.stop");
      const closed = once(socket, "close");
      socket.close();
      await closed;
      return cpuProfile.parse(result?.profile);
    },
  };
}

function addressesIn(log: string): string[] {
  return log.match(/ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+/g) ?? [];
}
