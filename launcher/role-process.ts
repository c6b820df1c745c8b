import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Role } from "#protocol/bus/membership";
import type { RoleMessage } from "#common/lifecycle/role";
import type { ProcessEnd } from "./guarded-process.js";
import { collectLines, type LineSink } from "./log-collector.js";
import { processEnvironment } from "./process-environment.js";
import type { ChildProcess } from "./supervised.js";

/** Folder of each role's compiled `main.js`. */
export const roleFolders: Readonly<Record<Role, string>> = {
  edge: "edge",
  scheduler: "scheduler",
  worker: "workers",
  "control-plane": "control-plane",
  agent: "agents",
};

/**
 * Begins one life of a role as a child process: `<distDirectory>/<folder>/main.js`, an IPC channel whose end makes it
 * stop, output to `sink`. All roles stay in the launcher's session: Linux shares the processor among sessions first, so
 * that what a thread of one role leaves to others (`workInBackground`) would otherwise reach no other role (sched(7),
 * "The autogroup feature"). Ctrl-C reaches them too, and they leave it to the launcher.
 */
export async function launchRole(options: {
  role: Role;
  distDirectory: string;
  environment: Record<string, string | undefined>;
  sink: LineSink;
}): Promise<ChildProcess> {
  const child = fork(join(options.distDirectory, roleFolders[options.role], "main.js"), [], {
    env: { ...processEnvironment(options.role), ...options.environment },
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      // Its last lines may still be in the pipe; a grandchild that holds the pipe open must not hold us up.
      const closed = once(child, "close");
      void Promise.race([closed, new Promise((late) => setTimeout(late, 100))]).then(() => resolve({ code, signal }));
    });
  });
  const ready = new Promise<Record<string, unknown>>((resolve) => {
    child.on("message", (message: RoleMessage) => {
      if (message.type === "ready") resolve(message.facts);
    });
  });
  if (child.stdout !== null) collectLines(child.stdout, options.sink);
  if (child.stderr !== null) collectLines(child.stderr, options.sink);
  await once(child, "spawn");
  return { pid: child.pid ?? 0, ready, ended, signal: (signal) => void child.kill(signal) };
}
