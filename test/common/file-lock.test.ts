import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { LockedError, takeLock } from "#common/files/file-lock";
import { anotherContainer, canUnshare } from "../harness/namespaces.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const module = new URL("./../../common/files/file-lock.js", import.meta.url).href;

/** Tries to take a lock in a process of its own, which keeps it; gives what it said of it. */
async function lockElsewhere(
  path: string,
  prefix: readonly string[] = [],
): Promise<{ said: string; process: ChildProcess }> {
  const script = `
    const { takeLock } = await import(${JSON.stringify(module)});
    try { takeLock(${JSON.stringify(path)}); console.log("held"); } catch (error) { console.log(error.name); }
    setInterval(() => {}, 1000);`;
  const [command = "", ...args] = [...prefix, process.execPath, "--input-type=module", "-e", script];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  // The next test wants the lock: not before this one's holder is gone.
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const [data] = (await once(child.stdout, "data")) as [Buffer];
  return { said: data.toString().trim(), process: child };
}

describe("a file lock", () => {
  const directory = temporaryDirectory("lock");
  const path = join(directory.path, "lock");
  afterAll(directory.remove);

  it("is free again after its release, and only its holder releases it", () => {
    const release = takeLock(path);
    expect(() => takeLock(path)).toThrow(`running process ${process.pid}`);
    release();
    const again = takeLock(path);
    release();
    expect(() => takeLock(path)).toThrow(LockedError);
    again();
  });

  it("is held by another living process, and by nobody once that was killed", async () => {
    const { said, process: child } = await lockElsewhere(path);
    expect(said).toBe("held");
    expect(() => takeLock(path)).toThrow(`running process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "exit");
    takeLock(path)();
  });

  it("outlives the children of its holder, and they do not keep it", async () => {
    const release = takeLock(path);
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    expect((await lockElsewhere(path)).said).toBe("LockedError");
    release();
    expect((await lockElsewhere(path)).said).toBe("held");
  });

  it.each([
    ["what a holder of the same process id left", JSON.stringify({ pid: process.pid, host: hostname() })],
    ["what an earlier release left", `${process.pid} 12345\n`],
    ["garbage", "\u0000\u0001 not a lock"],
    ["half an object", '{"pi'],
    ["nothing", ""],
  ])("is taken over %s in its file", async (_name, content) => {
    writeFileSync(path, content);
    const release = takeLock(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ pid: process.pid, host: hostname() });
    // Whoever holds it: the file is for people.
    writeFileSync(path, content);
    expect((await lockElsewhere(path)).said).toBe("LockedError");
    release();
  });

  it.skipIf(!canUnshare())(
    "holds between containers that share a volume and no process ids, in both directions",
    async () => {
      const release = takeLock(path);
      expect((await lockElsewhere(path, anotherContainer)).said).toBe("LockedError");
      release();
      const inside = await lockElsewhere(path, anotherContainer);
      expect(inside.said).toBe("held");
      expect(() => takeLock(path)).toThrow(LockedError);
      inside.process.kill("SIGKILL");
      await once(inside.process, "exit");
      const untilMs = performance.now() + 5000;
      for (;;) {
        try {
          takeLock(path)();
          break;
        } catch (error) {
          // The program inside dies with its namespace, a moment after it.
          if (performance.now() > untilMs) throw error;
        }
      }
    },
  );
});
