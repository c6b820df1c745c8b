// Bundles the console into dist/console: names with the hash of what is in them, and each file also as Brotli and gzip.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, "../dist/console");

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength },
  });

/** What the edge sends as it lies there. */
const compressed = {
  name: "compressed",
  closeBundle() {
    const files = readdirSync(output, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const entry of files.filter(({ name }) => /\.(js|css|html|svg)$/.test(name))) {
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const bytes = readFileSync(file);
      for (const [ending, pack] of [
        ["br", brotli],
        ["gz", (plain) => gzipSync(plain, { level: 9 })],
      ]) {
        const packed = pack(bytes);
        if (packed.byteLength < bytes.byteLength) writeFileSync(`${file}.${ending}`, packed);
        else rmSync(`${file}.${ending}`, { force: true });
      }
    }
  },
};

export default defineConfig({
  root: folder,
  base: "/console/",
  logLevel: "warn",
  plugins: [compressed],
  build: {
    outDir: output,
    emptyOutDir: true,
    target: "es2022",
    manifest: "manifest.json",
    // The content security policy allows no data: address, and every browser of this target preloads modules itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      onLog(level, log, handler) {
        // For servers that render; there is none.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handler(level, log);
      },
    },
  },
});
