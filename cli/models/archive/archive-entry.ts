/** One entry of an archive, in the archive's order; `content` is read before the next entry is asked for. */
export interface ArchiveEntry {
  name: string;
  /** `other` is a link, a device or the like. */
  kind: "file" | "folder" | "other";
  /** As the archive says it; what comes is counted. */
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}
