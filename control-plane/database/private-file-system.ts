import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "#common/files/durable-file";

/** The part of Emscripten's file system that sets a file's mode. */
interface Attributes {
  mode?: number | null;
}
interface Operations {
  setattr(target: unknown, attributes: Attributes): void;
}
interface NodeFileSystem {
  node_ops: Operations;
  stream_ops: Operations;
}

/**
 * PGlite's folder on the disk, with files that their owner alone reads and writes. PGlite sets the mode of each file
 * that it makes, to one that lets everybody write, whatever the process's umask is.
 */
export class PrivateFileSystem extends NodeFS {
  override async init(...given: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const made = await super.init(...given);
    const keepPrivate = (module: unknown): void => {
      const { NODEFS } = module as { NODEFS: NodeFileSystem };
      for (const operations of [NODEFS.node_ops, NODEFS.stream_ops]) {
        const set = operations.setattr;
        operations.setattr = (target, attributes) => set(target, withoutOthers(attributes));
      }
    };
    const preRun = made.emscriptenOpts.preRun ?? [];
    return {
      emscriptenOpts: { ...made.emscriptenOpts, preRun: [keepPrivate, ...(Array.isArray(preRun) ? preRun : [preRun])] },
    };
  }
}

function withoutOthers(attributes: Attributes): Attributes {
  return typeof attributes.mode === "number" ? { ...attributes, mode: attributes.mode & ~0o077 } : attributes;
}

/**
 * Closes the files and folders of a database that an earlier release made to other users. Looks at one file, and where
 * that is closed at no other.
 */
export function closeFilesToOthers(directory: string): void {
  const last = join(directory, "PG_VERSION");
  if ((statSync(last).mode & 0o077) === 0) return;
  const close = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      if (entry.isDirectory()) {
        chmodSync(at, PRIVATE_FOLDER);
        close(at);
      }
      // The file that is looked at comes last: what is broken off is done again.
      if (entry.isFile() && at !== last) chmodSync(at, PRIVATE_FILE);
    }
  };
  close(directory);
  chmodSync(last, PRIVATE_FILE);
}
