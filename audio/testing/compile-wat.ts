import { readFileSync } from "node:fs";
import { join } from "node:path";
import openWabt from "wabt";

/** A WebAssembly text under `audio/`, and the name of the constant that holds it compiled. */
export interface WatFile {
  /** Without `.wat`; the compiled form lies beside it, in `<path>-module.ts`. */
  path: string;
  constant: string;
}

export const watFiles: readonly WatFile[] = [
  { path: "resampling/filter", constant: "filterModule" },
  { path: "simd/sample-loops", constant: "sampleLoopsModule" },
  { path: "spectrum/log-mel", constant: "logMelModule" },
];

/** `dist/audio/testing` → `audio`. */
const audioDirectory = join(import.meta.dirname, "../../../audio");

/** The file that holds the compiled form. */
export function moduleFile({ path }: WatFile): string {
  return join(audioDirectory, `${path}-module.ts`);
}

/** Compiles a text; gives what its `-module.ts` must hold. Throws where the text is no module. */
export async function compileWat({ path, constant }: WatFile): Promise<string> {
  const { parseWat } = await openWabt();
  const name = `${path.slice(path.lastIndexOf("/") + 1)}.wat`;
  const text = readFileSync(join(audioDirectory, `${path}.wat`), "utf8");
  const { buffer } = parseWat(name, text, { simd: true }).toBinary({});
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,110}/g) ?? [];
  return [
    `/** \`${name}\` compiled, in base64: \`npm run build:wasm\` writes this file. */`,
    `export const ${constant} =`,
    `${lines.map((line) => `  "${line}"`).join(" +\n")};`,
    "",
  ].join("\n");
}
