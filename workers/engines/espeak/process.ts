import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Readable, Writable } from "node:stream";
import { ServiceError } from "#protocol/errors";
import type { Logger } from "#common/log";
import {
  type DoneMessage,
  type FailedMessage,
  FrameReader,
  frameKind,
  jsonFrame,
  type Mark,
  type ReadyMessage,
  type SpeakMessage,
} from "./framing.js";

const programPath = fileURLToPath(new URL("./program/main.js", import.meta.url));

/** A process that cannot speak within this time of its start is given up. */
const START_TIMEOUT_MS = 20_000;

/** A text that gives no audio and no end for this long: the process hangs. */
const STALL_TIMEOUT_MS = 10_000;

/** What comes back while a text is spoken. */
export interface SpeakHandlers {
  onMarks: (marks: Mark[]) => void;
  /** A view that lives only during the call. */
  onSamples: (samples: Int16Array) => void;
}

interface CurrentJob {
  jobId: number;
  handlers: SpeakHandlers;
  resolve: (done: DoneMessage) => void;
  reject: (error: Error) => void;
}

/** One running speech process: speaks one text at a time. */
export interface EspeakProcess {
  ready: ReadyMessage;
  pid: number;
  /** Rejects when the process ends or breaks first. */
  speak(message: Omit<SpeakMessage, "jobId">, handlers: SpeakHandlers, signal: AbortSignal): Promise<DoneMessage>;
  kill(): void;
  /** Resolves when the process has ended, for whatever reason. */
  ended: Promise<void>;
}

/** Starts a speech process; resolves when it is ready to speak. Rejects with the reason when it cannot. */
export async function startEspeakProcess(log: Logger): Promise<EspeakProcess> {
  const child = spawn(process.execPath, [programPath], { stdio: ["pipe", "pipe", "pipe", "pipe"] });
  const link = new ProcessLink(child, log);
  return await link.whenReady();
}

class ProcessLink {
  readonly #child: ChildProcess;
  readonly #log: Logger;
  readonly #frames = new FrameReader();
  readonly #ended: Promise<void>;
  #ready: { resolve: (ready: ReadyMessage) => void; reject: (error: Error) => void } | null = null;
  #job: CurrentJob | null = null;
  #failure: string | null = null;
  #jobs = 0;
  #stallTimer: NodeJS.Timeout | null = null;

  constructor(child: ChildProcess, log: Logger) {
    this.#child = child;
    this.#log = log;
    this.#ended = new Promise((resolve) => {
      child.once("error", (error) => this.#end(`could not start: ${error.message}`, resolve));
      child.once("exit", (code, signal) => this.#end(this.#failure ?? `ended with ${signal ?? code}`, resolve));
    });
    // A write to a process that has just died fails here; its end is handled above.
    for (const stream of [child.stdin, child.stdio[3]])
      stream?.on("error", (error) => log.debug({ err: error }, "a pipe to the speech process broke"));
    child.stdout?.on("data", (bytes: Buffer) => this.#read(bytes));
    child.stderr?.on("data", (bytes: Buffer) =>
      log.warn({ output: bytes.toString().slice(0, 500) }, "the speech process complains"),
    );
  }

  async whenReady(): Promise<EspeakProcess> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), START_TIMEOUT_MS);
    try {
      const ready = await new Promise<ReadyMessage>((resolve, reject) => {
        this.#ready = { resolve, reject };
      });
      return {
        ready,
        pid: this.#child.pid ?? 0,
        speak: (message, handlers, signal) => this.#speak(message, handlers, signal),
        kill: () => this.#child.kill("SIGKILL"),
        ended: this.#ended,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  async #speak(
    message: Omit<SpeakMessage, "jobId">,
    handlers: SpeakHandlers,
    signal: AbortSignal,
  ): Promise<DoneMessage> {
    const jobId = ++this.#jobs;
    const cancel = (): void => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(jobId);
      (this.#child.stdio[3] as Writable | null)?.write(bytes);
    };
    signal.addEventListener("abort", cancel);
    try {
      return await new Promise<DoneMessage>((resolve, reject) => {
        this.#job = { jobId, handlers, resolve, reject };
        this.#watchStall();
        this.#child.stdin?.write(jsonFrame(frameKind.speak, { ...message, jobId }));
      });
    } finally {
      this.#job = null;
      if (this.#stallTimer !== null) clearTimeout(this.#stallTimer);
      signal.removeEventListener("abort", cancel);
    }
  }

  #read(bytes: Buffer): void {
    try {
      if (this.#job !== null) this.#watchStall();
      this.#frames.push(bytes, (kind, payload) => this.#take(kind, payload));
    } catch (error) {
      this.#log.error({ err: error }, "the speech process is out of step");
      this.#child.kill("SIGKILL");
    }
  }

  #take(kind: number, payload: Buffer): void {
    if (kind === frameKind.samples) {
      const samples = new Int16Array(payload.length >> 1);
      for (let i = 0; i < samples.length; i++) samples[i] = payload.readInt16LE(i * 2);
      return this.#job?.handlers.onSamples(samples);
    }
    const message = JSON.parse(payload.toString()) as unknown;
    if (kind === frameKind.marks) this.#job?.handlers.onMarks(message as Mark[]);
    else if (kind === frameKind.done) this.#job?.resolve(message as DoneMessage);
    else if (kind === frameKind.ready) this.#ready?.resolve(message as ReadyMessage);
    else if (kind === frameKind.failed) this.#failure = (message as FailedMessage).reason;
  }

  #watchStall(): void {
    if (this.#stallTimer !== null) return void this.#stallTimer.refresh();
    this.#stallTimer = setTimeout(() => this.#job !== null && this.#child.kill("SIGKILL"), STALL_TIMEOUT_MS);
    this.#stallTimer.unref();
  }

  #end(reason: string, resolve: () => void): void {
    const error = new ServiceError("engine_failed", { cause: new Error(`the speech process ${reason}`) });
    this.#ready?.reject(error);
    this.#job?.reject(error);
    for (const stream of [
      this.#child.stdin,
      this.#child.stdout as Readable | null,
      this.#child.stderr,
      this.#child.stdio[3],
    ])
      stream?.destroy();
    resolve();
  }
}
