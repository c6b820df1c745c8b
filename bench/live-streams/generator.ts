import { fileURLToPath } from "node:url";
import { runTask } from "../task-process.js";
import type { GeneratorReport, GeneratorTask } from "./messages.js";

const program = fileURLToPath(new URL("./generator-process.js", import.meta.url));

/** Speaks streams from a process of its own. Rejects when that ends without a report. */
export function generateLoad(task: GeneratorTask): Promise<GeneratorReport> {
  return runTask(program, task);
}
