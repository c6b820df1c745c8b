import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Container, PodSpec } from "../render.js";
import type { LocalProcess } from "./container.js";

type Probe = NonNullable<Container["startupProbe"]>;

/** A pod as a process of this machine, looked after as a kubelet does. */
export class LocalPod {
  readonly name: string;
  readonly ip: string;
  /** What a kubelet would have killed it for, and how it ended where it should not have. */
  readonly faults: string[] = [];
  isReady = false;
  isTerminating = false;
  readonly #pods: PodSpec;
  readonly #container: Container;
  readonly #environment: Record<string, string>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #stopProbes = new AbortController();

  constructor(name: string, ip: string, pods: PodSpec, local: LocalProcess, cwd: string, logFile: string) {
    this.name = name;
    this.ip = ip;
    this.#pods = pods;
    const [container] = pods.containers;
    if (container === undefined) throw new Error(`${name} has no container`);
    this.#container = container;
    this.#environment = local.environment;
    const [command = "", ...args] = local.command;
    this.#child = spawn(command, args, { cwd, env: local.environment, stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(logFile);
    this.#child.stdout?.pipe(log);
    this.#child.stderr?.pipe(log);
    this.#ended = once(this.#child, "exit");
    this.#child.once("exit", (code) => {
      this.isReady = false;
      if (!this.isTerminating) this.faults.push(`${name} ended by itself, with ${code}`);
    });
  }

  /** Resolves when it has started and is ready; rejects when a kubelet would have killed it before. */
  async untilReady(): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container;
    const { failureThreshold = 3, periodSeconds = 10 } = startupProbe ?? {};
    if (startupProbe !== undefined && !(await this.#succeeds(startupProbe, failureThreshold, periodSeconds)))
      throw new Error(
        this.#hasEnded
          ? `${this.name} ended before it had started`
          : `${this.name}: its startup probe failed ${failureThreshold} times`,
      );
    if (readinessProbe !== undefined) void this.#watch(readinessProbe, (isPositive) => (this.isReady = isPositive));
    if (livenessProbe !== undefined)
      void this.#watch(livenessProbe, (isPositive) => {
        if (!isPositive) this.faults.push(`${this.name}: its liveness probe failed`);
      });
    while (!this.isReady) {
      if (this.#hasEnded) throw new Error(`${this.name} ended before it was ready`);
      await delay(50);
    }
  }

  /** Ends it as a kubelet does: preStop, SIGTERM, and SIGKILL when its grace period is over, which is a fault. */
  async terminate(): Promise<void> {
    this.isTerminating = true;
    const graceMs = (this.#pods.terminationGracePeriodSeconds ?? 30) * 1000;
    const killing = setTimeout(() => {
      this.faults.push(`${this.name} was killed: its grace period of ${graceMs / 1000} s was over`);
      this.#child.kill("SIGKILL");
    }, graceMs);
    const preStop = this.#container.lifecycle?.preStop.exec.command;
    if (preStop !== undefined) await this.#execute(preStop);
    this.#child.kill("SIGTERM");
    if (!this.#hasEnded) await this.#ended;
    clearTimeout(killing);
    this.#stopProbes.abort();
    this.isReady = false;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The most that it had in memory so far, MiB. */
  get peakMebibytes(): number {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1];
    return Number(kibibytes) / 1024;
  }

  async #succeeds(probe: Probe, attempts: number, periodSeconds: number): Promise<boolean> {
    for (let attempt = 0; attempt < attempts && !this.#hasEnded; attempt++) {
      if (await this.#ask(probe)) return true;
      await delay(periodSeconds * 1000);
    }
    return false;
  }

  /** Says at the first success that it is positive, and at so many failures in a row that it is not. */
  async #watch(probe: Probe, onChange: (isPositive: boolean) => void): Promise<void> {
    const { failureThreshold = 3, periodSeconds = 10 } = probe;
    let failures = 0;
    while (!this.#stopProbes.signal.aborted && !this.#hasEnded) {
      if (await this.#ask(probe)) {
        failures = 0;
        onChange(true);
      } else if (++failures === failureThreshold) onChange(false);
      await delay(periodSeconds * 1000, undefined, { signal: this.#stopProbes.signal }).catch(() => undefined);
    }
  }

  /** Programs of the images are not here: for a probe that runs one, the port must be open. */
  async #ask(probe: Probe): Promise<boolean> {
    const { httpGet, timeoutSeconds = 1 } = probe;
    if (httpGet === undefined) return await this.#isOpen(this.#container.ports[0]?.containerPort ?? 0);
    const port = this.#portOf(httpGet.port);
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    return await fetch(`http://${this.ip}:${port}${httpGet.path}`, { signal }).then(
      async (answer) => {
        await answer.body?.cancel();
        return answer.ok;
      },
      () => false,
    );
  }

  #portOf(port: string | number): number {
    if (typeof port === "number") return port;
    const found = this.#container.ports.find(({ name }) => name === port);
    if (found === undefined) throw new Error(`${this.name} has no port ${port}`);
    return found.containerPort;
  }

  #isOpen(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(port, this.ip);
      const finish = (isOpen: boolean): void => {
        socket.destroy();
        resolve(isOpen);
      };
      socket.once("connect", () => finish(true));
      socket.once("error", () => finish(false));
    });
  }

  async #execute([command = "", ...args]: readonly string[]): Promise<void> {
    const child = spawn(command, args, { env: this.#environment, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) this.faults.push(`${this.name}: preStop ended with ${code}`);
  }
}
