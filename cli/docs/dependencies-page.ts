import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { generatedNote, markdownTable } from "./markdown.js";

const versions = z.record(z.string(), z.string()).default({});

const rootPackage = z.object({
  dependencies: versions,
  optionalDependencies: versions,
  devDependencies: versions,
  /** Why each dependency is there: one line each. */
  dependencyReasons: z.record(z.string(), z.string()),
});
export type RootPackage = z.infer<typeof rootPackage>;

const installedPackage = z.object({ version: z.string(), license: z.string().default("not stated") });

/** `package.json` of the project folder. */
export function readRootPackage(root: string): RootPackage {
  return rootPackage.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
}

/** Version and licence as the installed package states them. */
export function readInstalled(root: string, name: string): z.infer<typeof installedPackage> {
  return installedPackage.parse(JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")));
}

/** `docs/dependencies.md`. */
export function dependenciesPage(root: string): string {
  const manifest = readRootPackage(root);
  const section = (title: string, list: Record<string, string>): string[] => [
    `## ${title}`,
    "",
    markdownTable(
      ["Package", "Version", "Licence", "Why"],
      Object.keys(list)
        .sort()
        .map((name) => [
          `\`${name}\``,
          list[name] ?? "",
          readInstalled(root, name).license,
          manifest.dependencyReasons[name] ?? "",
        ]),
    ),
    "",
  ];
  return [
    "# Dependencies",
    "",
    generatedNote("package.json (`dependencyReasons`) and node_modules"),
    "",
    ...section("In the product", manifest.dependencies),
    ...section("In the product, optional", manifest.optionalDependencies),
    ...section("For development and tests", manifest.devDependencies),
    ...remarks,
  ].join("\n");
}

const remarks = [
  "## Licences that ask for more than a notice",
  "",
  "Parley itself is Apache-2.0.",
  "",
  "- **espeak-ng (GPL-3.0)**, the embedded voice, runs as a separate program: a child process of its own that reads requests from a pipe and",
  "  writes audio to one. No code of Parley is linked with it, and without it Parley works with the voices that remain. Its package is",
  "  an optional dependency; whoever passes an image with it on passes its source offer on too.",
  "- **LAME and mpg123 (LGPL)** are inside the WebAssembly code of `wasm-media-encoders` and `mpg123-decoder`, whose wrappers are MIT. It is",
  "  loaded at run time from files of their own in `node_modules` and can be replaced there.",
  "",
  "## Ours, though there is a package",
  "",
  "- **The data lock**, not `proper-lockfile` 4.1.2: its lock is a folder with a time. A killed holder keeps it for another 10 s, and one that is",
  "  only stopped loses it after 10 s; the kernel's lock ends with its holder, and not before.",
  "- **Log files**, not `pino-roll` 4.0.0: on a full disk it leaves half a line in the file, keeps what follows in memory without counting it, and",
  "  its files can be read by everybody.",
  "- **The Fourier transform**, not `fft.js` 4.0.4: 512 real values take it 6.3 µs and ours 2.2 µs; 1024 values with a window 13 µs and 6 µs.",
  "- **The router**, not `find-my-way` 9.10.1: it keeps a tree for each method, so that a wrong method on the closest path leads to another path",
  "  instead of 405, and a broken escape to no path at all. It takes 0.2 µs for one of 56 routes, ours 1.3 µs.",
  "- **The check of imports** in `test/structure`, not `dependency-cruiser` 17.4.3: it reads TypeScript with a compiler below version 7, and",
  "  found no file here; its version 18 does not run on Node.js 20.",
  "",
  "## The reference at /docs",
  "",
  "- **Swagger UI** (`swagger-ui-dist` 5.35.0) runs with `script-src 'self'` and no inline style, and asks no other host. 368 KB with Brotli. Its one",
  "  dependency, `@scarf/scarf`, reports installations to its maker; an empty package stands in its place (overrides).",
  "- Not **Scalar** (`@scalar/api-reference` 1.72.1): it writes style elements and attributes, which need `'unsafe-inline'`, and tries `eval`; 479 KB with",
  "  gzip at first and several times that in all, from 272 packages.",
  "- Not **RapiDoc** (`rapidoc` 9.3.8): hundreds of inline styles, which need `'unsafe-inline'`.",
  "",
  "## Not from npm",
  "",
  "`nats-server` (Apache-2.0) and `redis-server` (BSD-3-Clause in Debian 12) come from the system's packages and run as separate processes; so do `ffmpeg`,",
  "`pocketsphinx` and `curl`, which only the tests need. `uWebSockets.js` is `uws-pack`, the same binaries (Apache-2.0) published to npm, where",
  "the official package is not. Install scripts are denied in `package.json` (`allowScripts`): nothing is fetched from outside the npm",
  "registry and the system's packages. The `gpu` image is the exception: its build fetches onnxruntime's CUDA provider.",
  "",
];
