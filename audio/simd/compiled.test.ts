import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileWat, moduleFile, watFiles } from "../testing/compile-wat.js";

test.each(watFiles)("the compiled $path is what its text says; `npm run build:wasm` writes it anew", async (file) => {
  expect(readFileSync(moduleFile(file), "utf8")).toBe(await compileWat(file));
});
