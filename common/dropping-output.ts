import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";

/** Standard output or standard error. */
type StandardStream = Writable & { fd: number; isTTY?: boolean };

/**
 * Gives a stream to write lines to that no full disk can break. Where `stream` leads into a file, what cannot be
 * written is dropped and counted, and the first line that can be written again comes after one that `describeDropped`
 * makes of the count; Node.js itself would end the process, and would never write there again. Anything else, a pipe or
 * a terminal, is given back as it is.
 */
export function droppingOutput(stream: StandardStream, describeDropped: (lines: number) => string): Writable {
  if (!isFile(stream)) return stream;
  let dropped = 0;
  let isTorn = false;
  const writeAll = (data: Buffer): void => {
    for (let at = 0; at < data.length; ) {
      at += writeSync(stream.fd, data, at);
      isTorn = true;
    }
    isTorn = false;
  };
  return new Writable({
    write(line: Buffer, _encoding, done) {
      try {
        const missing = dropped === 0 ? "" : `${isTorn ? "\n" : ""}${describeDropped(dropped)}\n`;
        writeAll(Buffer.concat([Buffer.from(missing), line]));
        dropped = 0;
      } catch {
        // Whatever the reason is, nobody can be told of it here: the count comes later.
        dropped++;
      }
      done();
    },
  });
}

/** Files, and devices that are no terminal: what Node.js writes to synchronously. */
function isFile(stream: StandardStream): boolean {
  if (typeof stream.fd !== "number") return false;
  try {
    const kind = fstatSync(stream.fd);
    return kind.isFile() || (kind.isCharacterDevice() && stream.isTTY !== true);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EBADF") return false;
    throw error;
  }
}
