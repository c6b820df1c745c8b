import { type Chunk, cutIntoChunks } from "./chunks.js";
import { type TermVector, termVector } from "./term-vector.js";

/** A passage as the database keeps it. */
export type IndexedChunk = Chunk & TermVector;

/** The passages of a text and their terms. A megabyte takes half a second: see `indexOnThread`. */
export function indexText(text: string): IndexedChunk[] {
  return cutIntoChunks(text).map((chunk) => ({ ...chunk, ...termVector(chunk.heading, chunk.content) }));
}
