import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import type { StandInOptions } from "./stand-in.js";

/** The stand-in as a program of its own, which a test may kill. */
export interface StandInProcess {
  /** Where it takes calls: `127.0.0.1:port`. */
  address: string;
  pid: number;
  /** Ends it at once, as a crash does: its calls are cut, and their participants have lost the network. */
  kill(): Promise<void>;
  /** Ends it when its calls have ended. */
  stop(): Promise<void>;
}

const greeting = z.object({ address: z.string() });

/** Starts it; it dies with this process, whatever happens. With the port of one that was killed it takes its place. */
export async function startStandInProcess({ liveKit, redisUrl, port = 0 }: StandInOptions): Promise<StandInProcess> {
  const { url, apiKey, apiSecret } = liveKit;
  const options = { liveKit: { url, apiKey, apiSecret }, redisUrl, port };
  const child = fork(join(import.meta.dirname, "main.js"), [], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  child.send(options);
  const [message]: unknown[] = await Promise.race([
    once(child, "message"),
    ended.then(() => Promise.reject(new Error("the stand-in for LiveKit SIP did not start"))),
  ]);
  const { address } = greeting.parse(message);
  return {
    address,
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
