import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { AttackerTask } from "./attacker-process.js";

/** An attacker that has been let loose. */
export interface Attacker {
  /** Calls it off; resolves when it is gone. Throws when it ended before, or failed. */
  stop(): Promise<void>;
}

/** Lets an attacker loose. It yields the processor to the cluster: a real one has a machine of its own. */
export async function startAttacker(task: AttackerTask): Promise<Attacker> {
  const program = [process.execPath, join(import.meta.dirname, "attacker-process.js"), JSON.stringify(task)];
  // `chrt` of util-linux, which every Debian has: runs only when no other process wants the core (sched(7),
  // "SCHED_IDLE").
  const child = spawn("chrt", ["--idle", "0", ...program], { stdio: ["pipe", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (piece: Buffer) => (complaint += piece.toString()));
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  await once(child, "spawn");
  return {
    async stop() {
      if (child.exitCode !== null) throw new Error(`the attacker ended by itself: ${complaint}`);
      child.stdin.end();
      const [code] = await exit;
      if (code !== 0) throw new Error(`the attacker failed: ${complaint}`);
    },
  };
}
