import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { diskProblem } from "#common/files/disk-error";
import { PRIVATE_FILE } from "#common/files/durable-file";

/** At this size a log file is set aside as `<file>.1`, replacing the one before: a role keeps two files at most. */
const ROTATE_BYTES = 32 * 1024 * 1024;

/** How long lines are dropped without trying, once one could not be written. */
const RETRY_MS = 1000;

export interface LogFileOptions {
  file: string;
  /** Milliseconds on a clock that never jumps. */
  nowMs: () => number;
  rotateBytes?: number;
  /** Called when lines begin to be dropped, with the reason in words. */
  onDropping: (reason: string) => void;
  /** Called when lines are written again, with the number of those that were not. */
  onWritten: (dropped: number) => void;
  /** The line by which the file tells of lines that are not in it. */
  describeDropped: (dropped: number) => string;
}

/** A file of lines that never throws: what cannot be written is dropped and counted. */
export interface LogFile {
  /** `line` is without its end. */
  write(line: string): void;
  close(): void;
}

/** Opens a log file, or waits with that until there is room for it. */
export function openLogFile(options: LogFileOptions): LogFile {
  let opened: AppendedFile | null = null;
  let dropped = 0;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const writeNow = (line: string): void => {
    opened ??= new AppendedFile(options.file);
    if (opened.bytes > (options.rotateBytes ?? ROTATE_BYTES)) opened.rotate();
    if (dropped > 0) {
      opened.append(options.describeDropped(dropped));
      options.onWritten(dropped);
      dropped = 0;
    }
    opened.append(line);
  };
  return {
    write(line) {
      if (isClosed) return;
      const isWaiting = dropped > 0 && options.nowMs() - triedAtMs < RETRY_MS;
      if (!isWaiting) {
        try {
          writeNow(line);
          return;
        } catch (error) {
          if (dropped === 0)
            options.onDropping(diskProblem(error) ?? (error instanceof Error ? error.message : String(error)));
          triedAtMs = options.nowMs();
        }
      }
      dropped++;
    },
    close() {
      isClosed = true;
      opened?.close();
    },
  };
}

/** A file that grows by whole lines only. */
class AppendedFile {
  readonly #path: string;
  #descriptor: number;
  bytes: number;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, "a", PRIVATE_FILE);
    this.bytes = fstatSync(this.#descriptor).size;
  }

  append(line: string): void {
    const data = Buffer.from(`${line}\n`);
    try {
      for (let at = 0; at < data.length; ) at += writeSync(this.#descriptor, data, at);
      this.bytes += data.length;
    } catch (error) {
      // The half that found room goes again.
      ftruncateSync(this.#descriptor, this.bytes);
      throw error;
    }
  }

  rotate(): void {
    const aside = `${this.#path}.1`;
    renameSync(this.#path, aside);
    let next: number;
    try {
      next = openSync(this.#path, "a", PRIVATE_FILE);
    } catch (error) {
      renameSync(aside, this.#path);
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = next;
    this.bytes = 0;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
