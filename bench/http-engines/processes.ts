import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { answerOf, ask } from "../asked-process.js";
import type {
  Engine,
  GeneratorTask,
  PlayReport,
  RequestsReport,
  ServerQuestion,
  ServerReady,
  ServerUse,
} from "./messages.js";

/** A process with one engine. */
export interface EngineServer {
  engine: Engine;
  port: number;
  use(question?: ServerQuestion): Promise<ServerUse>;
}

/** A process that asks. */
export interface Generator {
  requests(task: Omit<Extract<GeneratorTask, { kind: "requests" }>, "kind">): Promise<RequestsReport>;
  open(port: number, path: string, sockets: number): Promise<void>;
  play(frames: number): Promise<PlayReport>;
  close(): Promise<void>;
}

/** The processes of one run, which end with it. */
export interface Processes {
  startServer(engine: Engine): Promise<EngineServer>;
  startGenerator(): Generator;
  /** Resolves when they are gone: while they still end, they would count as others' load. */
  end(): Promise<void>;
}

export function openProcesses(): Processes {
  const children: ChildProcess[] = [];
  const start = (program: string, words: string[]): ChildProcess => {
    const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
    const child = fork(path, words, { serialization: "advanced", execArgv: ["--expose-gc"] });
    children.push(child);
    return child;
  };
  return {
    startServer: async (engine) => {
      const child = start("server-process", [engine]);
      const { port } = await answerOf<ServerReady>(child);
      return { engine, port, use: (question = {}) => ask<ServerQuestion, ServerUse>(child, question) };
    },
    startGenerator: () => {
      const child = start("generator-process", []);
      const carryOut = <T>(task: GeneratorTask): Promise<T> => ask<GeneratorTask, T>(child, task);
      return {
        requests: (task) => carryOut({ kind: "requests", ...task }),
        open: async (port, path, sockets) => void (await carryOut({ kind: "open", port, path, sockets })),
        play: (frames) => carryOut({ kind: "play", frames }),
        close: async () => void (await carryOut({ kind: "close" })),
      };
    },
    end: async () => {
      const living = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      const ended = living.map((child) => once(child, "exit"));
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(ended);
    },
  };
}
