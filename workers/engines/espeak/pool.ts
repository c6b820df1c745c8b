import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { ServiceError } from "#protocol/errors";
import { type EspeakProcess, startEspeakProcess } from "./process.js";

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5000;

/**
 * How long a text waits for a process when all have crashed: a new one needs under a second, several on a machine with
 * no time to spare.
 */
const ACQUIRE_TIMEOUT_MS = 8000;

/** A fixed number of speech processes, each replaced when it ends, later and later while the replacements end too. */
export class EspeakPool {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #processes = new Set<EspeakProcess>();
  readonly #idle: EspeakProcess[] = [];
  readonly #waiting: ((process: EspeakProcess) => void)[] = [];
  #closed = false;

  constructor(options: { log: Logger; clock: Clock }) {
    this.#log = options.log;
    this.#clock = options.clock;
  }

  /** Starts the processes; rejects with the first one's reason when they cannot speak. */
  async start(count: number): Promise<void> {
    const first = await startEspeakProcess(this.#log);
    this.#add(first);
    const rest = await Promise.all(Array.from({ length: count - 1 }, () => startEspeakProcess(this.#log)));
    for (const process of rest) this.#add(process);
  }

  /** Process ids, for tests and diagnosis. */
  get pids(): number[] {
    return [...this.#processes].map((process) => process.pid);
  }

  /** Lends a process; give it back with `release`. */
  async acquire(): Promise<EspeakProcess> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    return await new Promise((resolve, reject) => {
      const give = (process: EspeakProcess): void => {
        cancelTimeout();
        resolve(process);
      };
      const cancelTimeout = this.#clock.after(ACQUIRE_TIMEOUT_MS, () => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(new ServiceError("engine_failed", { cause: new Error("no speech process is running") }));
      });
      this.#waiting.push(give);
    });
  }

  release(process: EspeakProcess): void {
    // One that has ended is replaced, not lent again.
    if (!this.#processes.has(process)) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next(process);
    else this.#idle.push(process);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const processes = [...this.#processes];
    for (const process of processes) process.kill();
    await Promise.all(processes.map((process) => process.ended));
  }

  #add(process: EspeakProcess): void {
    if (this.#closed) return process.kill();
    this.#processes.add(process);
    void process.ended.then(() => {
      this.#processes.delete(process);
      const idleAt = this.#idle.indexOf(process);
      if (idleAt >= 0) this.#idle.splice(idleAt, 1);
      if (this.#closed) return;
      this.#log.warn({ speechPid: process.pid }, "a speech process ended; starting another");
      this.#replace(FIRST_BACKOFF_MS);
    });
    this.release(process);
  }

  #replace(backoffMs: number): void {
    if (this.#closed) return;
    startEspeakProcess(this.#log).then(
      (process) => this.#add(process),
      (error: unknown) => {
        this.#log.error({ err: error, backoffMs }, "a speech process could not start");
        this.#clock.after(backoffMs, () => this.#replace(Math.min(LONGEST_BACKOFF_MS, backoffMs * 2)));
      },
    );
  }
}
