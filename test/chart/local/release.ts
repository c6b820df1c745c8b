import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Manifest, podsOf } from "../render.js";
import { root } from "../../structure/sources.js";
import type { Balancer } from "./balancer.js";
import { type ContainerOptions, localProcess } from "./container.js";
import { LocalPod } from "./pod.js";

const selectorOf = z.looseObject({ selector: z.looseObject({ matchLabels: z.record(z.string(), z.string()) }) });

/** A workload of the release, with the pods that run. */
interface Workload {
  component: string;
  manifest: Manifest;
  replicas: number;
  maxSurge: number;
  pods: LocalPod[];
}

/** The workloads of a release as processes of this machine. */
export class LocalRelease {
  readonly workloads: Workload[];
  readonly #options: Omit<ContainerOptions, "podName" | "ip">;
  readonly #balancer: Balancer;
  readonly #addressOf: (component: string) => string;
  #started = 0;
  readonly #all: LocalPod[] = [];

  constructor(
    options: Omit<ContainerOptions, "podName" | "ip">,
    balancer: Balancer,
    addressOf: (component: string) => string,
  ) {
    this.#options = options;
    this.#balancer = balancer;
    this.#addressOf = addressOf;
    this.workloads = options.manifests
      .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
      .map((manifest) => {
        const spec = z
          .looseObject({
            replicas: z.number(),
            strategy: z
              .looseObject({ rollingUpdate: z.object({ maxSurge: z.number(), maxUnavailable: z.number() }) })
              .optional(),
          })
          .parse(manifest.spec);
        const labels = selectorOf.parse(manifest.spec).selector.matchLabels;
        const component = labels["app.kubernetes.io/component"] ?? "";
        const maxSurge = spec.strategy?.rollingUpdate.maxSurge ?? 0;
        return { component, manifest, replicas: spec.replicas, maxSurge, pods: [] };
      });
  }

  /** Everything that went wrong in any pod so far. */
  get faults(): string[] {
    return this.#all.flatMap(({ faults }) => faults);
  }

  /** The most memory that each pod of now had so far, by component. */
  get peakMemory(): string {
    const peaks = this.workloads.flatMap(({ component, pods }) =>
      pods.map(({ peakMebibytes }) => `${component} ${Math.round(peakMebibytes)}`),
    );
    return `MiB of memory at most: ${peaks.join(", ")}`;
  }

  /** Starts every pod of the workloads, all at once as an install does. Rejects when one does not become ready. */
  async start(components: readonly string[]): Promise<void> {
    const wanted = this.workloads.filter(({ component }) => components.includes(component));
    await Promise.all(
      wanted.flatMap((workload) =>
        Array.from({ length: workload.replicas }, () => this.#startPod(workload).untilReady()),
      ),
    );
  }

  /** Replaces each pod as its Deployment's strategy has it; what leaves goes on beside what follows. */
  async restart(component: string): Promise<void> {
    const workload = this.#workload(component);
    const leaving: Promise<void>[] = [];
    for (const old of [...workload.pods]) {
      workload.pods = workload.pods.filter((pod) => pod !== old);
      if (workload.maxSurge === 0) await old.terminate();
      await this.#startPod(workload).untilReady();
      if (workload.maxSurge > 0) leaving.push(old.terminate());
    }
    await Promise.all(leaving);
  }

  /** Ends all pods, as an uninstall does. */
  async stop(components: readonly string[]): Promise<void> {
    const pods = this.workloads
      .filter(({ component }) => components.includes(component))
      .flatMap((it) => it.pods.splice(0));
    await Promise.all(pods.map((pod) => pod.terminate()));
  }

  #workload(component: string): Workload {
    const found = this.workloads.find((workload) => workload.component === component);
    if (found === undefined) throw new Error(`the release has no ${component}`);
    return found;
  }

  #startPod(workload: Workload): LocalPod {
    const pods = podsOf(workload.manifest);
    const [container] = pods?.containers ?? [];
    if (pods === null || container === undefined) throw new Error(`${workload.component} has no pods`);
    const name = `${workload.manifest.metadata.name}-${++this.#started}`;
    const isStore = workload.manifest.kind === "StatefulSet" || workload.component === "livekit";
    const ip = isStore ? this.#addressOf(workload.component) : `127.20.1.${this.#started}`;
    const directory = join(this.#options.directory, name);
    mkdirSync(directory, { recursive: true });
    const local = localProcess(pods, container, { ...this.#options, podName: name, ip, directory });
    const pod = new LocalPod(name, ip, pods, local, root, join(this.#options.directory, `${name}.log`));
    workload.pods.push(pod);
    this.#all.push(pod);
    if (workload.component === "edge") this.#balancer.add(pod);
    return pod;
  }
}
