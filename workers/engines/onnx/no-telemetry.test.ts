import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const modulePath = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
const voicePath = JSON.stringify(fileURLToPath(new URL("../../../../models/parley-en/model.onnx", import.meta.url)));

it.each([
  [
    "on the threads of a worker",
    `const { ModelThreads } = await import(${modulePath("../model-threads.js")});
     const { SessionPool } = await import(${modulePath("./session-pool.js")});
     const threads = new ModelThreads(1);
     await new SessionPool(threads).open({ graph: ${voicePath}, halves: null, prosody: null }, []);
     await threads.close();`,
  ],
  [
    "on the main thread",
    `const { openGraph } = await import(${modulePath("./runtime.js")});
     await openGraph(${voicePath}, []);`,
  ],
])("onnxruntime makes no id of the machine and no store of events, %s", async (_where, script) => {
  const home = mkdtempSync(join(tmpdir(), "parley-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  // Without CI, where the library sends nothing anyway.
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env, cwd: home });
  expect(readdirSync(home)).toEqual([]);
});
