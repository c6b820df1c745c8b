import { type Logger, type LoggerOptions, pino } from "pino";
import { droppingOutput } from "./dropping-output.js";

export type { Logger };

/*
 * Not pino's own destination: its flush retries a broken pipe for ever, so that a role whose launcher was killed, and
 * its end of the pipe with it, would never end.
 */
function openOutput(role: string): { write: (line: string) => void } {
  const describeDropped = (lines: number): string =>
    JSON.stringify({
      level: 40,
      time: new Date().toISOString(),
      role,
      pid: process.pid,
      msg: `${lines} log lines were dropped: they could not be written`,
    });
  const output = droppingOutput(process.stdout, describeDropped);
  return { write: (line) => void output.write(line) };
}
let watchesOutput = false;

/** Without a reader there is no log; the process goes on, or ends in order. */
function ignoreBrokenPipe(): void {
  if (watchesOutput) return;
  watchesOutput = true;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/**
 * Gives a role's logger: one JSON object per line on standard output.
 * Text, audio and keys never go into a log line; `redact` is the second lock on that door.
 */
export function createLogger(role: string, level: string): Logger {
  ignoreBrokenPipe();
  const options: LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ["authorization", "*.authorization", "apiKey", "*.apiKey", "text", "*.text"],
      censor: "[redacted]",
    },
  };
  return pino(options, openOutput(role));
}
