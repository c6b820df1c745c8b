import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type InspectionRequest, type ModelReport, modelReport } from "#protocol/models/inspection";
import { CommandError, type Terminal } from "../command.js";

/** What an inspection said: the reports, and why it ended before its end, null where it did not. */
export interface Inspection {
  reports: ModelReport[];
  crash: string | null;
}

/** Longest loading and trying of one model. */
const TIMEOUT_MS = 10 * 60_000;

/** Looks at model folders in a worker's process of its own. A graph that brings the process down is told as a crash. */
export async function inspectModels(
  terminal: Pick<Terminal, "distDirectory" | "environment">,
  request: InspectionRequest,
): Promise<Inspection> {
  const program = join(terminal.distDirectory, "workers/inspection/main.js");
  const child = spawn(process.execPath, [program, JSON.stringify(request)], {
    env: terminal.environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const [out, errors, [code, signal]] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended]).catch(
    (cause: unknown) => {
      throw new CommandError(
        `models cannot be looked at: ${cause instanceof Error ? cause.message : String(cause)}`,
        undefined,
        { cause },
      );
    },
  );
  const lines = out.split("\n").slice(0, -1);
  const reports = lines.map((line) => modelReport.parse(JSON.parse(line)));
  if (code === 0) return { reports, crash: null };
  const lastWords = errors.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  return {
    reports,
    crash: `the process that ran it ended with ${signal ?? `code ${code}`}${lastWords === "" ? "" : `: ${lastWords}`}`,
  };
}
