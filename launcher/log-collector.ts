import { closeSync, openSync, renameSync, fstatSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Takes a child's output, line by line. */
export type LineSink = (line: string) => void;

/** At this size a log file is set aside as `<file>.1`, replacing the one before: a role keeps two files at most. */
const ROTATE_BYTES = 32 * 1024 * 1024;

/** Feeds a stream to `sink` as lines without their ends. */
export function collectLines(stream: Readable, sink: LineSink): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", sink);
}

/** One log line as the terminal shows it. */
export interface TerminalLine {
  level: "warn" | "error";
  text: string;
}

/** Opens a role's log file. Lines that are not JSON (a crash's stack, a library's print) are wrapped, so that the file stays one object a line. */
export function openLogFile(file: string, name: string): { write: LineSink; close: () => void } {
  let descriptor = openSync(file, "a");
  let bytes = fstatSync(descriptor).size;
  let closed = false;
  return {
    write(line) {
      if (closed) return;
      if (bytes > ROTATE_BYTES) {
        closeSync(descriptor);
        renameSync(file, `${file}.1`);
        descriptor = openSync(file, "a");
        bytes = 0;
      }
      const text = parseRecord(line) === null ? JSON.stringify({ level: 50, time: new Date().toISOString(), role: name, msg: line }) : line;
      bytes += writeSync(descriptor, `${text}\n`);
    },
    close() {
      closed = true;
      closeSync(descriptor);
    },
  };
}

/** What the terminal shows of a child's line: warnings and worse, in words; null for the rest. */
export function forTerminal(line: string): TerminalLine | null {
  const record = parseRecord(line);
  if (record === null) return line.trim() === "" ? null : { level: "error", text: line };
  const level = typeof record.level === "number" ? record.level : 30;
  if (level < 40) return null;
  const cause = record.err;
  const detail = typeof cause === "object" && cause !== null && "message" in cause ? `: ${String(cause.message)}` : "";
  return { level: level < 50 ? "warn" : "error", text: `${String(record.msg ?? "")}${detail}` };
}

function parseRecord(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // Not JSON after all: a line that merely begins with a brace.
    return null;
  }
}
