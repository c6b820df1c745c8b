import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("has V8 collect the whole heap once it is three times what lived, however fast memory is used", () => {
  const letHeapGrow = new URL("./heap-growth.js", import.meta.url).href;
  const script = `
    (await import(${JSON.stringify(letHeapGrow)})).letHeapGrow();
    globalThis.objects = Array.from({ length: 300_000 }, (_, i) => ({ i, list: [i] }));
    gc();
  `;
  const args = ["--expose-gc", "--trace-gc-verbose", "--input-type=module", "--eval", script];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const factors = [...stdout.matchAll(/new limit: \d+ KB \(([\d.]+)\)/g)].map(([, factor]) => factor);
  expect(new Set(factors)).toEqual(new Set(["3.0"]));
});
