import { pino, type Logger } from "pino";

export type { Logger };

/**
 * Gives a role's logger: one JSON object per line on standard output.
 * Text, audio and keys never go into a log line; `redact` is the second lock on that door.
 */
export function createLogger(role: string, level: string): Logger {
  return pino({
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ["authorization", "*.authorization", "apiKey", "*.apiKey", "text", "*.text"], censor: "[redacted]" },
  });
}
