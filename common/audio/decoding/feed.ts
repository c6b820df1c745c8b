/** Even a chunk of pure silence this large decodes to some megabytes only, so a bomb is noticed early. */
const CHUNK_BYTES = 16 * 1024;

/** Gives `bytes` to a decoder piece by piece, in order. */
export async function feedChunks(bytes: Uint8Array, take: (chunk: Uint8Array) => void | Promise<void>): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) await take(bytes.subarray(offset, offset + CHUNK_BYTES));
}
