// `npm run package:widget`: the class `Call` as a package for npm, in dist/widget-package, from compiled sources.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { build } from "vite";
import { root, say } from "./setup.mjs";

const output = join(root, "dist", "widget-package");
const compiled = join(root, "dist", "web", "call");

/** The declarations that a file leads to, itself first: what users of the package see, and nothing of the rest of Parley. */
function declarationsFrom(entry) {
  const seen = new Map();
  const visit = (file) => {
    if (seen.has(file)) return;
    const text = readFileSync(join(compiled, file), "utf8").replace(/^\/\/# sourceMappingURL=.*$/gm, "");
    seen.set(file, text);
    for (const [, specifier] of text.matchAll(/\bfrom "([^"]+)"/g)) {
      if (!specifier.startsWith("./")) throw new Error(`${file} shows ${specifier}, which is not in the package`);
      visit(join(dirname(file), normalize(specifier)).replace(/\.js$/, ".d.ts"));
    }
  };
  visit(entry);
  return seen;
}

const project = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const manifest = {
  name: "parley-widget",
  version: project.version,
  description: "Calls an agent of a Parley server from a web page.",
  license: project.license,
  type: "module",
  sideEffects: false,
  exports: { ".": { types: "./types/index.d.ts", default: "./index.js" } },
  types: "./types/index.d.ts",
  files: ["*.js", "types"],
  dependencies: { "livekit-client": project.devDependencies["livekit-client"] },
};

rmSync(output, { recursive: true, force: true });
await build({
  configFile: false,
  root: join(root, "web", "call"),
  logLevel: "warn",
  publicDir: false,
  build: {
    outDir: output,
    emptyOutDir: false,
    target: "es2022",
    // Whoever bundles it does so.
    minify: false,
    reportCompressedSize: false,
    lib: { entry: join(root, "web", "call", "index.ts"), formats: ["es"], fileName: () => "index.js" },
    rolldownOptions: { external: ["livekit-client"], output: { chunkFileNames: "[name].js" } },
  },
});
mkdirSync(join(output, "types"), { recursive: true });
for (const [file, text] of declarationsFrom("index.d.ts")) writeFileSync(join(output, "types", file), text);
writeFileSync(join(output, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, "web", "call", "README.md"), join(output, "README.md"));
copyFileSync(join(root, "LICENSE"), join(output, "LICENSE"));
say(`the package is in ${output}`);
