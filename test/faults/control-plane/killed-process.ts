import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Bus } from "#common/bus/bus";

const main = new URL("./../../../control-plane/main.js", import.meta.url).pathname;
/** A question that fails for the process's death may fail before its end is noticed here. */
const NOTICE_MS = 5000;
const MAX_STARTS = 5;

interface Life {
  child: ChildProcess;
  ended: Promise<void>;
}

/** A control plane that is killed now and then, and started again at once. */
export class KilledControlPlane {
  readonly #bus: Bus;
  readonly #environment: Record<string, string | undefined>;
  #life: Promise<Life>;
  #stopped = false;
  /** Lives that were ended here; any other end is the process's own doing. */
  readonly #killed = new WeakSet<ChildProcess>();
  kills = 0;

  constructor(bus: Bus, settings: Record<string, string>) {
    this.#bus = bus;
    const { PATH } = process.env;
    this.#environment = { PATH, LOG_LEVEL: "error", ...settings };
    this.#life = this.#start();
    // Whoever asks learns of it; until then it is nobody's.
    this.#life.catch(() => undefined);
  }

  /** Resolves when it answers; rejects when it could not start. */
  async ready(): Promise<void> {
    await this.#life;
  }

  /** Asks once it is up. Null when it died with the question: what became of that is not known then. */
  async ask<T>(subject: string, question: object): Promise<T | null> {
    const { child, ended } = await this.#life;
    const answer = this.#bus.request<T>(subject, question, { timeoutMs: 20_000, dependency: "the control plane" });
    const unknown = ended.then(() => {
      if (this.#killed.has(child)) return null;
      throw new Error(`the control plane ended by itself with ${child.exitCode ?? child.signalCode}`);
    });
    // Whichever comes second is nobody's.
    for (const one of [answer, unknown]) one.catch(() => undefined);
    try {
      return await Promise.race([answer, unknown]);
    } catch (error) {
      const tooLong = new Promise<"alive">((resolve) => setTimeout(() => resolve("alive"), NOTICE_MS).unref());
      if ((await Promise.race([unknown, tooLong])) === "alive") throw error;
      return null;
    }
  }

  /** SIGKILL, and a new life. */
  async kill(): Promise<void> {
    const { child, ended } = await this.#life;
    this.kills++;
    this.#killed.add(child);
    child.kill("SIGKILL");
    this.#life = ended.then(() => this.#start());
    await this.#life;
  }

  /** SIGKILL for good. */
  async end(): Promise<void> {
    const { child, ended } = await this.#life;
    this.#stopped = true;
    this.#killed.add(child);
    child.kill("SIGKILL");
    await ended;
  }

  /** As the launcher does it: a start that fails, for a database that does not answer in time, is tried again. */
  async #start(): Promise<Life> {
    const ends: string[] = [];
    while (!this.#stopped && ends.length < MAX_STARTS) {
      const child = spawn(process.execPath, [main], {
        env: this.#environment,
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      const ended = once(child, "exit").then(() => undefined);
      if (await Promise.race([once(child, "message").then(() => true), ended.then(() => false)]))
        return { child, ended };
      ends.push(String(child.exitCode ?? child.signalCode));
    }
    throw new Error(`the control plane ended with ${ends.join(", ")} instead of starting`);
  }
}
