import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";

/** Above programs of ordinary priority, below what the system does for itself. */
const URGENT = -10;

/** Runs one task in a process of its own, given by its compiled file. Rejects when that ends without a report. */
export async function runTask<Task extends object, Report>(
  program: string,
  task: Task,
  execArgv: string[] = [],
): Promise<Report> {
  const child = fork(program, { serialization: "advanced", execArgv });
  child.send(task);
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`${program} ended with ${String(code)} and no report`)),
  );
  ended.catch(() => undefined);
  const [report] = (await Promise.race([once(child, "message"), ended])) as [Report];
  return report;
}

/** The other side: takes one task from the parent, answers with one report, ends. */
export function serveTask<Task, Report>(carryOut: (task: Task) => Promise<Report>): void {
  process.once("message", (task: Task) => {
    void carryOut(task).then((report) => process.send?.(report, () => process.disconnect()));
  });
}

/**
 * Lets this process run before others of the machine, where the system allows it (Linux asks for CAP_SYS_NICE): a
 * generator that waits for a core behind what it measures would count its own wait as the other's.
 */
export function raisePriority(): void {
  try {
    setPriority(URGENT);
  } catch {
    // Its lag then says whether the run is worth anything.
  }
}
