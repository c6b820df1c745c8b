import { join } from "node:path";
import { forFile, forTerminal, type LineSink, type TerminalLine } from "./log-collector.js";
import { type LogFile, openLogFile } from "./log-file.js";

/** The log files of all roles. */
export interface RoleLogs {
  /** Where one child's output goes: its file, and its warnings and errors to the terminal. */
  sinkOf(name: string): LineSink;
  close(): void;
}

/** Log files named after the children, in `directory`. `nowMs` is a clock that never jumps. */
export function openRoleLogs(
  directory: string,
  nowMs: () => number,
  onTerminalLine: (name: string, line: TerminalLine) => void,
): RoleLogs {
  const files: LogFile[] = [];
  return {
    sinkOf(name) {
      const warn = (text: string): void => onTerminalLine(name, { level: "warn", text });
      const inWords = (dropped: number): string => `${dropped} log lines were dropped: they could not be written`;
      const log = openLogFile({
        file: join(directory, `${name}.log`),
        nowMs,
        onDropping: (reason) => warn(`its log cannot be written (${reason}): lines are dropped until it can`),
        onWritten: (dropped) => warn(inWords(dropped)),
        describeDropped: (dropped) =>
          JSON.stringify({ level: 40, time: new Date().toISOString(), role: name, dropped, msg: inWords(dropped) }),
      });
      files.push(log);
      return (line) => {
        log.write(forFile(line, name));
        const shown = forTerminal(line);
        if (shown !== null) onTerminalLine(name, shown);
      };
    },
    close() {
      for (const file of files.splice(0)) file.close();
    },
  };
}
