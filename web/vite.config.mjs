// Bundles the console into dist/console: names with the hash of what is in them, and each file also as Brotli and gzip.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { compressFiles } from "./compress-files.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, "../dist/console");

/** What the edge sends as it lies there. */
const compressed = { name: "compressed", closeBundle: () => compressFiles(output) };

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
    // LiveKit's client is one file, and is loaded when a call begins.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      checks: { pluginTimings: false },
      onLog(level, log, handler) {
        // For servers that render; there is none.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handler(level, log);
      },
    },
  },
});
