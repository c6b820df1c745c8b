import { once } from "node:events";
import { createServer, connect, type Server } from "node:net";
import type { LocalPod } from "./pod.js";

/** How much later than the API server a node's proxy knows that a pod leaves. */
const LAG_MS = 2000;

/** A Service: gives each connection to a pod that was ready, and did not leave, a moment ago. */
export class Balancer {
  readonly #server: Server;
  readonly #podPort: number;
  #pods: LocalPod[] = [];
  /** Pods that leave, which connections still reach until the proxies know. */
  readonly #leaving = new Map<LocalPod, number>();
  #turn = 0;
  /** Connections that found nobody. */
  refused = 0;

  constructor(podPort: number) {
    this.#podPort = podPort;
    this.#server = createServer((client) => {
      const pods = this.#reachable();
      const pod = pods[this.#turn++ % Math.max(1, pods.length)];
      if (pod === undefined) {
        this.refused++;
        client.destroy();
        return;
      }
      const upstream = connect(this.#podPort, pod.ip);
      client.on("error", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  async listen(ip: string, port: number): Promise<void> {
    this.#server.listen(port, ip);
    await once(this.#server, "listening");
  }

  add(pod: LocalPod): void {
    this.#pods.push(pod);
  }

  close(): void {
    this.#server.close();
  }

  #reachable(): LocalPod[] {
    const nowMs = performance.now();
    for (const pod of this.#pods)
      if (pod.isTerminating && !this.#leaving.has(pod)) this.#leaving.set(pod, nowMs + LAG_MS);
    return this.#pods.filter((pod) => (pod.isTerminating ? (this.#leaving.get(pod) ?? 0) > nowMs : pod.isReady));
  }
}
