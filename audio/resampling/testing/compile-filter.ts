import { readFileSync } from "node:fs";
import { join } from "node:path";
import openWabt from "wabt";

/** `dist/audio/resampling/testing` → `audio/resampling`. */
export const sourceDirectory = join(import.meta.dirname, "../../../../audio/resampling");

/** Compiles `filter.wat`; gives what `filter-module.ts` must hold. Throws where the text is no module. */
export async function compileFilter(): Promise<string> {
  const { parseWat } = await openWabt();
  const text = readFileSync(join(sourceDirectory, "filter.wat"), "utf8");
  const { buffer } = parseWat("filter.wat", text, { simd: true }).toBinary({});
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,110}/g) ?? [];
  return [
    "/** `filter.wat` compiled, in base64: `npm run build:wasm` writes this file. */",
    "export const filterModule =",
    `${lines.map((line) => `  "${line}"`).join(" +\n")};`,
    "",
  ].join("\n");
}
