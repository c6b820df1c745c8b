import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import WebSocket from "ws";

/** Megabytes of one process. */
export interface ProcessMemory {
  /** Of JavaScript, after the garbage was collected. */
  heapMb: number;
  /** Resident, native libraries included. */
  residentMb: number;
  /** Resident without JavaScript's heap, as large as it was grown, and what it holds elsewhere. */
  nativeMb: number;
}

/** Has every process of a cluster open an inspector on a port of its own: for the cluster's `environment`. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** Collects the garbage of a role's process and measures it, through its inspector. */
export async function measureMemory(dataDirectory: string, name: string): Promise<ProcessMemory> {
  const socket = new WebSocket(await inspectorOf(dataDirectory, name));
  await once(socket, "open");
  try {
    const ask = inquirer(socket);
    for (let round = 0; round < 3; round++) await ask("HeapProfiler.collectGarbage");
    const { result } = (await ask("Runtime.evaluate", { expression: "JSON.stringify(process.memoryUsage())" })) as {
      result: { value: string };
    };
    const { heapUsed, heapTotal, external, rss } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    const megabytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;
    const nativeMb = megabytes(rss - heapTotal - external);
    return { heapMb: megabytes(heapUsed), residentMb: megabytes(rss), nativeMb };
  } finally {
    socket.close();
  }
}

/** Address of the inspector of a child's present life, which Node writes to its log. */
async function inspectorOf(dataDirectory: string, name: string): Promise<string> {
  const log = await readFile(join(dataDirectory, "logs", `${name}.log`), "utf8");
  const address = [...log.matchAll(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)].at(-1)?.[0];
  if (address === undefined) throw new Error(`the log of ${name} names no inspector`);
  return address;
}

function inquirer(socket: WebSocket): (method: string, parameters?: object) => Promise<unknown> {
  let count = 0;
  return async (method, params = {}) => {
    const id = ++count;
    const answered = new Promise<unknown>((resolve) => {
      const take = (data: WebSocket.RawData): void => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (message.id !== id) return;
        socket.off("message", take);
        resolve(message.result);
      };
      socket.on("message", take);
    });
    socket.send(JSON.stringify({ id, method, params }));
    return await answered;
  };
}
