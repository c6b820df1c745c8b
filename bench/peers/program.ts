import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const READY_MS = 60_000;
const END_MS = 5000;
const POLL_MS = 100;
/** Of a program's output this much is kept to say why it ended. */
const STORED_CHARACTERS = 2000;

/** A peer that runs as a process of its own. */
export interface Program {
  pid: number;
  stop(): Promise<void>;
}

/** A program that answers lines of JSON on its input with lines of JSON on its output, in order. */
export interface LineProgram extends Program {
  ask<Answer>(question: object): Promise<Answer>;
}

export interface ProgramOptions {
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
}

/**
 * Starts a server; resolves once `answers` does not reject any more. Rejects with its last output when it ends before
 * or takes too long.
 */
export async function startServer(options: ProgramOptions, answers: () => Promise<unknown>): Promise<Program> {
  const { child, lastOutput, stop } = start(options);
  child.stdout?.on("data", lastOutput.add);
  const latest = performance.now() + READY_MS;
  for (let reason = ""; ; await delay(POLL_MS)) {
    if (child.exitCode !== null || performance.now() > latest) {
      await stop();
      throw new Error(`${options.command} did not become ready: ${reason} ${lastOutput.read()}`);
    }
    try {
      await answers();
      return { pid: child.pid as number, stop };
    } catch (error) {
      reason = String(error);
    }
  }
}

/** Starts a program of lines; resolves at its first one. */
export async function startLineProgram(options: ProgramOptions): Promise<LineProgram> {
  const { child, lastOutput, stop } = start(options);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${options.command} ended: ${lastOutput.read()}`);
    return value;
  };
  await next();
  return {
    pid: child.pid as number,
    stop,
    async ask(question) {
      child.stdin?.write(`${JSON.stringify(question)}\n`);
      return JSON.parse(await next());
    },
  };
}

interface Started {
  child: ChildProcess;
  lastOutput: { add: (part: Buffer | string) => void; read: () => string };
  stop: () => Promise<void>;
}

function start({ command, args, environment }: ProgramOptions): Started {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH, HOME, LANG, TMPDIR, ...environment },
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  let output = "";
  const add = (part: Buffer | string): void => {
    output = (output + String(part)).slice(-STORED_CHARACTERS);
  };
  child.stderr?.on("data", add);
  child.on("error", (error) => add(String(error)));
  child.stdin?.on("error", (error) => add(String(error)));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.pid === undefined) return;
    child.stdin?.end();
    child.kill("SIGTERM");
    await Promise.race([ended, delay(END_MS)]);
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
  };
  return { child, lastOutput: { add, read: () => output }, stop };
}

/** A port of the loopback that nobody listens on at this moment. */
export async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new RangeError("a TCP server has an address with a port");
  return address.port;
}
