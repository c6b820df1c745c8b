import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type LogFile, openLogFile } from "#launcher/log-file";
import { type SmallDisk, smallDisk } from "../harness/small-disk.js";

let disk: SmallDisk;
beforeEach(() => {
  const mounted = smallDisk(4);
  onTestFinished(mounted.remove);
  disk = mounted;
});

describe("a log file", () => {
  let nowMs = 0;
  let said: string[];
  const open = (rotateBytes?: number): LogFile => {
    said = [];
    const log = openLogFile({
      file: join(disk.path, "edge.log"),
      nowMs: () => nowMs,
      ...(rotateBytes === undefined ? {} : { rotateBytes }),
      onDropping: (reason) => said.push(reason),
      onWritten: (dropped) => said.push(`${dropped} dropped`),
      describeDropped: (dropped) => `{"dropped":${dropped}}`,
    });
    onTestFinished(log.close);
    return log;
  };
  const lines = (name = "edge.log"): string[] => readFileSync(join(disk.path, name), "utf8").trimEnd().split("\n");

  it("drops and counts what finds no room, keeps whole lines only, and goes on when there is room", () => {
    const log = open();
    log.write('{"before":1}');
    disk.fill(8192);
    // Longer than what is left, so that a part of it finds room.
    log.write(`{"long":"${"x".repeat(20_000)}"}`);
    for (let count = 0; count < 9; count++) log.write('{"lost":1}');
    expect(lines()).toEqual(['{"before":1}']);
    disk.empty();
    log.write('{"still waiting":1}');
    nowMs += 1000;
    log.write('{"after":1}');
    expect(lines()).toEqual(['{"before":1}', '{"dropped":11}', '{"after":1}']);
    expect(said).toEqual(["no space is left on the disk", "11 dropped"]);
  });

  it("is opened once there is room, where there was none to begin with", () => {
    disk.fill();
    const log = open();
    log.write("a".repeat(5000));
    nowMs += 1000;
    log.write("lost");
    disk.empty();
    nowMs += 1000;
    log.write("after");
    expect(lines()).toEqual(['{"dropped":2}', "after"]);
    expect(statSync(join(disk.path, "edge.log")).mode & 0o777).toBe(0o600);
  });

  it("is set aside when it is long, with no line lost, and a full disk then costs lines and nothing else", () => {
    const log = open(100);
    for (let count = 0; count < 12; count++) log.write(`{"number":${count}}${" ".repeat(20)}`);
    expect(lines("edge.log.1").length + lines().length).toBeLessThanOrEqual(12);
    expect([...lines("edge.log.1"), ...lines()].at(-1)).toContain('{"number":11}');
    disk.fill();
    for (let count = 0; count < 5; count++) {
      log.write("y".repeat(9000));
      nowMs += 1000;
    }
    disk.empty();
    log.write("after");
    expect(lines().at(-1)).toBe("after");
    expect(readdirSync(disk.path).sort()).toEqual(["edge.log", "edge.log.1"]);
  });
});

describe("a process whose output goes into a file", () => {
  const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

  /** A process that says what it is sent, and answers once it has. */
  const start = (setup: string): { child: ChildProcess; say: (text: string) => Promise<void>; text: () => string } => {
    const file = join(disk.path, "output");
    const output = openSync(file, "a");
    const script = `${setup} process.on("message", (text) => { say(text.padEnd(5000)); process.send("said"); });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", output, output, "ipc"],
    });
    closeSync(output);
    onTestFinished(() => void child.kill("SIGKILL"));
    const say = async (text: string): Promise<void> => {
      child.send(text);
      await Promise.race([
        once(child, "message"),
        once(child, "exit").then(() => Promise.reject(new Error("the process ended"))),
      ]);
    };
    return { child, say, text: () => readFileSync(file, "utf8") };
  };

  it.each([
    [
      "role",
      `const log = (await import(${url("../../common/log.js")})).createLogger("edge", "info"); const say = (text) => log.info(text);`,
    ],
    [
      "launcher",
      `const { droppingOutput } = await import(${url("../../common/dropping-output.js")});
       const output = droppingOutput(process.stderr, (lines) => lines + " messages were dropped"); const say = (text) => output.write(text + "\\n");`,
    ],
  ])("%s outlives a full disk, and says afterwards how much is missing", async (_name, setup) => {
    const { child, say, text } = start(setup);
    await say("first");
    disk.fill();
    for (const word of ["lost 1", "lost 2", "lost 3"]) await say(word);
    disk.empty();
    await say("last");
    expect(text()).toMatch(/first {2}.*3 (log lines|messages) were dropped.*last {2}/s);
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
