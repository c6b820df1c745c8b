import { createWriteStream, mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "#common/files/durable-file";
import { CommandError } from "../../command.js";
import { type ModelLimits, modelLimits } from "../limits.js";
import type { ArchiveEntry } from "./archive-entry.js";
import { entryPath } from "./entry-path.js";
import { readTar } from "./tar.js";
import { readZip } from "./zip.js";

/** First bytes of packed files that are not read here, for a message that helps. */
const foreign: readonly (readonly [string, RegExp])[] = [
  ["bzip2", /^BZh/],
  ["xz", /^\u00fd7zXZ/],
  ["7z", /^7z\u00bc\u00af/],
  ["zstd", /^\(\u00b5\/\u00fd/],
  ["rar", /^Rar!/],
];

/**
 * Unpacks a tar, tar.gz or zip archive into a folder that is there and empty, telling the kind by the first bytes. Only
 * files and folders below it are made, within `limits`, none twice. Throws CommandError for everything else; what was
 * unpacked by then stays.
 */
export async function unpackArchive(path: string, into: string, limits: ModelLimits = modelLimits): Promise<void> {
  let [files, total] = [0, 0];
  for await (const entry of await entriesOf(path)) {
    const inside = entryPath(entry.name, limits);
    if (entry.kind === "other")
      throw new CommandError(
        `the archive holds a link or a device: ${JSON.stringify(entry.name)}; models are plain files`,
      );
    if (++files > limits.files) throw new CommandError(`the archive holds more than ${limits.files} files`);
    if (entry.kind === "folder" || inside === "") {
      mkdirSync(join(into, inside), { recursive: true, mode: PRIVATE_FOLDER });
      continue;
    }
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of entry.content) {
        total += piece.length;
        if (total > limits.unpackedBytes)
          throw new CommandError(`the archive unpacks to more than ${limits.unpackedBytes} bytes`);
        yield piece;
      }
    };
    await writeNew(join(into, inside), counted, entry.name);
  }
  if (files === 0) throw new CommandError("the archive is empty");
}

async function writeNew(path: string, content: () => AsyncIterable<Uint8Array>, name: string): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    // "wx": never over or through something that is there already.
    await pipeline(content, createWriteStream(path, { flags: "wx", mode: PRIVATE_FILE }));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EEXIST" || code === "ENOTDIR" || code === "EISDIR")
      throw new CommandError(`the archive holds ${JSON.stringify(name)} twice`);
    throw cause;
  }
}

async function entriesOf(path: string): Promise<AsyncIterable<ArchiveEntry>> {
  const head = await firstBytes(path);
  const text = head.toString("latin1");
  if (text.startsWith("PK\u0003\u0004")) return readZip(path);
  if (head[0] === 0x1f && head[1] === 0x8b) return readTar(path, true);
  if (text.slice(257, 262) === "ustar") return readTar(path, false);
  const [kind] = foreign.find(([, pattern]) => pattern.test(text)) ?? [];
  if (kind !== undefined) throw new CommandError(`${kind} is not read here: unpack it yourself and add the folder`);
  throw new CommandError("this is neither a tar, tar.gz nor zip archive");
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
