// Bundles the widget into dist/widget: `widget.js`, which pages name, and LiveKit's client under a name with the hash of
// what is in it, each also as Brotli and gzip.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, defineConfig } from "vite";
import { compressFiles } from "../compress-files.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, "../../dist/widget");

const shared = { root: folder, configFile: false, logLevel: "warn", publicDir: false };
const sharedBuild = {
  outDir: output,
  // Browsers that have constructed style sheets (2023).
  target: ["chrome111", "firefox114", "safari16.4"],
  reportCompressedSize: false,
};

/** First the file that the other one names. */
async function bundleLiveKit() {
  await build({
    ...shared,
    build: {
      ...sharedBuild,
      emptyOutDir: true,
      modulePreload: false,
      // It is what it is, and loaded when a call begins.
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        input: join(folder, "../call/livekit-room.ts"),
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "widget/livekit-[hash].js" },
      },
    },
  });
  const [file] = readdirSync(join(output, "widget"));
  return `widget/${file}`;
}

export default defineConfig(async () => ({
  ...shared,
  define: { LIVEKIT_FILE: JSON.stringify(await bundleLiveKit()) },
  plugins: [{ name: "compressed", closeBundle: () => compressFiles(output) }],
  build: {
    ...sharedBuild,
    emptyOutDir: false,
    lib: { entry: join(folder, "main.ts"), formats: ["iife"], name: "parleyWidget" },
    rolldownOptions: { output: { entryFileNames: "widget.js" } },
  },
}));
