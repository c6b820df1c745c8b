import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Takes a child's output, line by line. */
export type LineSink = (line: string) => void;

/** Feeds a stream to `sink` as lines without their ends. */
export function collectLines(stream: Readable, sink: LineSink): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", sink);
}

/** One log line as the terminal shows it. */
export interface TerminalLine {
  level: "warn" | "error";
  text: string;
}

/**
 * A child's line as its log file has it: lines that are not JSON (a crash's stack, a library's print) are wrapped, so
 * that the file stays one object a line.
 */
export function forFile(line: string, name: string): string {
  return parseRecord(line) === null
    ? JSON.stringify({ level: 50, time: new Date().toISOString(), role: name, msg: line })
    : line;
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
