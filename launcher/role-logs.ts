import { join } from "node:path";
import { forTerminal, type LineSink, openLogFile, type TerminalLine } from "./log-collector.js";

/** The log files of all roles. */
export interface RoleLogs {
  /** Where one child's output goes: its file, and its warnings and errors to the terminal. */
  sinkOf(name: string): LineSink;
  close(): void;
}

/** Log files named after the children, in `directory`. */
export function openRoleLogs(directory: string, onTerminalLine: (name: string, line: TerminalLine) => void): RoleLogs {
  const closers: (() => void)[] = [];
  return {
    sinkOf(name) {
      const log = openLogFile(join(directory, `${name}.log`), name);
      closers.push(log.close);
      return (line) => {
        log.write(line);
        const shown = forTerminal(line);
        if (shown !== null) onTerminalLine(name, shown);
      };
    },
    close() {
      for (const close of closers.splice(0)) close();
    },
  };
}
