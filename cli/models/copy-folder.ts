import { createReadStream, createWriteStream, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "#common/files/durable-file";
import { CommandError } from "../command.js";
import { modelLimits } from "./limits.js";

interface FoundFile {
  path: string;
  bytes: number;
}

/**
 * Copies a folder's files into one that is not there yet; links are followed, as caches of models are made of them.
 * Throws CommandError beyond the limits.
 */
export async function copyFolder(
  from: string,
  to: string,
  onProgress: (bytes: number, total: number) => void,
): Promise<void> {
  const files = filesBelow(from, "", 0);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (files.length > modelLimits.files) throw new CommandError(`${from} holds more than ${modelLimits.files} files`);
  if (total > modelLimits.unpackedBytes)
    throw new CommandError(`${from} holds more than ${modelLimits.unpackedBytes} bytes`);
  mkdirSync(to, { recursive: true, mode: PRIVATE_FOLDER });
  let copied = 0;
  for (const { path } of files) {
    mkdirSync(join(to, path, ".."), { recursive: true, mode: PRIVATE_FOLDER });
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of createReadStream(join(from, path)) as AsyncIterable<Uint8Array>) {
        copied += piece.length;
        onProgress(copied, total);
        yield piece;
      }
    };
    await pipeline(counted, createWriteStream(join(to, path), { flags: "wx", mode: PRIVATE_FILE }));
  }
}

/** Hidden files and folders stay behind: they are those of version control and download tools. */
function filesBelow(root: string, inside: string, depth: number): FoundFile[] {
  if (depth > modelLimits.folderDepth) throw new CommandError(`the folders in ${root} are nested too deep`);
  return readdirSync(join(root, inside))
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => {
      const path = join(inside, name);
      const at = statSync(join(root, path), { throwIfNoEntry: false });
      if (at?.isDirectory() === true) return filesBelow(root, path, depth + 1);
      if (at?.isFile() !== true) throw new CommandError(`${join(root, path)} is neither a file nor a folder`);
      return [{ path, bytes: at.size }];
    });
}
