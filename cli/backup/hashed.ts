import type { Hash } from "node:crypto";

/** Gives the content on as it comes, and counts it into the hash. */
export async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}
