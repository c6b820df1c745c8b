import { CommandError } from "../../command.js";

/** One entry of an archive, in the archive's order; `content` is read before the next entry is asked for. */
export interface ArchiveEntry {
  name: string;
  /** `other` is a link, a device or the like. */
  kind: "file" | "folder" | "other";
  content: AsyncIterable<Uint8Array>;
}

/** Gives what a reader of archives gives. Throws CommandError where the reader finds the archive damaged. */
export async function* readingArchive<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`the archive is damaged: ${reason}`, undefined, { cause });
  }
}
