import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { GeneratorReport, GeneratorTask } from "./messages.js";

const program = fileURLToPath(new URL("./generator-process.js", import.meta.url));

/** Runs a task in a process of its own. Rejects when that ends without a report. */
export async function generateLoad(task: GeneratorTask): Promise<GeneratorReport> {
  const child = fork(program, { serialization: "advanced" });
  child.send(task);
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`the load generator ended with ${String(code)} and no report`)),
  );
  ended.catch(() => undefined);
  const [report] = (await Promise.race([once(child, "message"), ended])) as [GeneratorReport];
  return report;
}
