import { until } from "../../harness/processes.js";
import { BOUND_MS, GPU_COMPONENT } from "./install.js";
import { cpuNodes, gpuNodes } from "./nodes.js";
import type { Report } from "./report.js";
import type { TestCluster } from "./test-cluster.js";

const DRAIN = ["--ignore-daemonsets", "--delete-emptydir-data", `--timeout=${BOUND_MS / 1000}s`];

/** Nodes that are taken away, one after the other and several at once. */
export async function checkDisruptions(cluster: TestCluster, report: Report): Promise<void> {
  await checkEvictions(cluster, report);
  await checkDrains(cluster, report);
  await checkGpuDrain(cluster, report);
}

const untilReady = (cluster: TestCluster): Promise<void> =>
  until(
    async () => {
      const pods = await cluster.pods("speech");
      const deployments = await cluster.deployments("speech");
      return pods.every(({ isReady }) => isReady) && deployments.every((it) => it.available === it.replicas);
    },
    { withinMs: BOUND_MS, what: "every pod to be ready again" },
  );

/** Asks the server to end a pod, as a drain does; gives its refusal, or null. */
async function evict(cluster: TestCluster, name: string): Promise<string | null> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "speech" } };
  const path = `/api/v1/namespaces/speech/pods/${name}/eviction`;
  const { isOk, stderr } = await cluster.tryKubectl(["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
  return isOk ? null : stderr;
}

async function checkEvictions(cluster: TestCluster, report: Report): Promise<void> {
  await cluster.kubectl(["cordon", ...cpuNodes]);
  const edges = await cluster.pods("speech", "edge");
  const refusals = (await Promise.all(edges.map(({ name }) => evict(cluster, name)))).filter((it) => it !== null);
  report.check(
    refusals.length === edges.length - 1 && refusals.every((text) => text.includes("disruption budget")),
    `of ${edges.length} edges whose nodes are taken away at once one goes, and the budget holds the others`,
    refusals,
  );
  await cluster.kubectl(["uncordon", ...cpuNodes]);
  await untilReady(cluster);
}

async function checkDrains(cluster: TestCluster, report: Report): Promise<void> {
  const fewest = await cluster.fewestAvailable("speech", async () => {
    for (const node of cpuNodes) {
      const { isOk, stderr } = await cluster.tryKubectl(["drain", node, ...DRAIN]);
      report.check(isOk, `kubectl drain ${node}`, stderr);
      await cluster.kubectl(["uncordon", node]);
    }
    await untilReady(cluster);
  });
  const missed = (await cluster.deployments("speech")).flatMap(({ name, replicas }) => {
    const seen = fewest.get(name) ?? 0;
    return replicas > 1 && seen < replicas - 1 ? [`${name}: ${seen} of ${replicas}`] : [];
  });
  report.none(missed, "no role missed more than one pod while each node was drained in turn");
}

async function checkGpuDrain(cluster: TestCluster, report: Report): Promise<void> {
  const [node] = gpuNodes;
  await cluster.kubectl(["drain", node, ...DRAIN]);
  const waiting = async () =>
    (await cluster.pods("speech", GPU_COMPONENT)).find(({ unschedulable }) => unschedulable !== null);
  await until(async () => (await waiting()) !== undefined, { withinMs: BOUND_MS, what: "a pod without a GPU" });
  const pods = await cluster.pods("speech", GPU_COMPONENT);
  const places = pods.map((pod) => pod.node);
  report.check(
    places.every((place) => place === null || gpuNodes.some((name) => name === place)),
    "a pod whose GPU is drained waits for another, and goes nowhere else",
    places.map(String),
  );
  const last = pods.find(({ isReady }) => isReady);
  const refusal = last === undefined ? null : await evict(cluster, last.name);
  report.check(refusal?.includes("disruption budget") === true, "meanwhile the last one stays", refusal ?? "");
  await cluster.kubectl(["uncordon", node]);
  await untilReady(cluster);
  report.check((await waiting()) === undefined, "and it runs when there is a GPU again");
}
