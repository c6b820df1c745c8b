import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { CallersReport, CallersTask } from "./messages.js";

const program = fileURLToPath(new URL("./callers-process.js", import.meta.url));

/** Callers that have said all they had to say. */
export interface FinishedCallers {
  report: CallersReport;
  /** Ends their process, whose processor time can be read until then. */
  end(): Promise<void>;
}

/** Holds conversations in a process of its own. Rejects when that ends without a report. */
export async function holdConversations(task: CallersTask): Promise<FinishedCallers> {
  // LiveKit's library logs what it does on standard output.
  const child = fork(program, { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  child.send(task);
  const exit = once(child, "exit");
  const ended = exit.then(([code]) =>
    Promise.reject(new Error(`the callers ended with ${String(code)} and no report`)),
  );
  ended.catch(() => undefined);
  const [report] = (await Promise.race([once(child, "message"), ended])) as [CallersReport];
  return {
    report,
    async end() {
      child.disconnect();
      await exit;
    },
  };
}
