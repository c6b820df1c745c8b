// Bundles the reference at /docs into dist/reference: names with the hash of what is in them, and each file also as
// Brotli and gzip. The page itself is the edge's.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { compressFiles } from "../compress-files.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, "../../dist/reference");

export default defineConfig({
  root: folder,
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  plugins: [{ name: "compressed", closeBundle: () => compressFiles(output) }],
  build: {
    outDir: output,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Swagger UI is one file.
    chunkSizeWarningLimit: 2500,
    rolldownOptions: {
      input: { reference: join(folder, "main.ts") },
      output: { entryFileNames: "assets/[name]-[hash].js", assetFileNames: "assets/[name]-[hash][extname]" },
    },
  },
});
