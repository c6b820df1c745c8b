import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { UploadReport, UploadTask } from "./messages.js";

const program = fileURLToPath(new URL("./uploads-process.js", import.meta.url));

/** Files on their way, again and again. */
export interface Uploads {
  /** Waits for those that are on their way. Rejects when their process ended by itself. */
  stop(): Promise<UploadReport>;
}

/** Sends files from a process of its own, so that what is measured here does not wait for it. */
export function startUploads(task: UploadTask): Uploads {
  const child = fork(program, { serialization: "advanced" });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the uploads ended with ${String(code)} and no report`);
  });
  ended.catch(() => undefined);
  const reported = once(child, "message") as Promise<[UploadReport]>;
  child.send(task);
  return {
    async stop() {
      child.send("stop");
      const [report] = (await Promise.race([reported, ended])) as [UploadReport];
      return report;
    },
  };
}
