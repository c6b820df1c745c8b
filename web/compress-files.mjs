import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength },
  });

const encodings = [
  ["br", brotli],
  ["gz", (plain) => gzipSync(plain, { level: 9 })],
];

/** Puts the compressed forms of each file beside it, where they are smaller: the edge sends them as they lie there. */
export function compressFiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files.filter(({ name }) => /\.(js|css|html|svg)$/.test(name))) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = readFileSync(file);
    for (const [ending, pack] of encodings) {
      const packed = pack(bytes);
      if (packed.byteLength < bytes.byteLength) writeFileSync(`${file}.${ending}`, packed);
      else rmSync(`${file}.${ending}`, { force: true });
    }
  }
}
