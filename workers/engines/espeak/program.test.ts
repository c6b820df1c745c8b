import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FrameReader, frameKind } from "./framing.js";

const directory = mkdtempSync(join(tmpdir(), "parley-program-"));
afterAll(() => rmSync(directory, { recursive: true }));

function start(path: string): { child: ChildProcess; firstFrame: Promise<{ kind: number; message: unknown }> } {
  const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const firstFrame = new Promise<{ kind: number; message: unknown }>((resolve) => {
    const reader = new FrameReader();
    child.stdout?.on("data", (bytes: Buffer) =>
      reader.push(bytes, (kind, payload) => resolve({ kind, message: JSON.parse(payload.toString()) })),
    );
  });
  return { child, firstFrame };
}

describe("the speech process", () => {
  it("says that its optional package is missing, and ends", async () => {
    cpSync(import.meta.dirname, join(directory, "espeak"), { recursive: true });
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    const { child, firstFrame } = start(join(directory, "espeak/program/main.js"));
    const exit = once(child, "exit");
    const expected = { jobId: null, reason: "the optional package @echogarden/espeak-ng-emscripten is not installed" };
    expect(await firstFrame).toEqual({ kind: frameKind.failed, message: expected });
    expect(await exit).toEqual([1, null]);
  });

  it("ends when the end of its input comes, as it does when the worker dies, and not before, at a Ctrl-C", async () => {
    const { child, firstFrame } = start(join(import.meta.dirname, "program/main.js"));
    expect((await firstFrame).kind).toBe(frameKind.ready);
    const exit = once(child, "exit");
    child.kill("SIGINT");
    child.kill("SIGHUP");
    child.stdin?.end();
    expect(await exit).toEqual([0, null]);
  });
});
