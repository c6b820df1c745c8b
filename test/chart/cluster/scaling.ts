import { until } from "../../harness/processes.js";
import { BOUND_MS, WAIT } from "./install.js";
import { conditionOf } from "./objects.js";
import type { Report } from "./report.js";
import type { TestCluster } from "./test-cluster.js";

const NAMESPACE = "scaled";
const SCALED_TO = 4;

/** Autoscalers of both kinds: what they scale, and that an upgrade does not undo it. KEDA's operator does not run. */
export async function checkScaling(cluster: TestCluster, report: Report): Promise<void> {
  await cluster.createNamespace(NAMESPACE, "restricted");
  const set = {
    namespace: NAMESPACE,
    files: ["values-dev.yaml"],
    values: {
      keda: { prometheusUrl: "http://prometheus:9090" },
      edge: { autoscaling: { type: "keda" } },
      workerDefaults: { autoscaling: { type: "keda" } },
      agent: { autoscaling: { type: "hpa" } },
      monitoring: { serviceMonitor: { enabled: true }, rules: { enabled: true } },
      gateway: { enabled: true, parents: [{ name: "public" }], host: "speech.example.com" },
    },
  };
  const { isOk, stderr } = await cluster.release("install", set, WAIT);
  report.check(isOk, "helm install --wait with the operators' own definitions", stderr);
  const objects = await cluster.list("scaledobjects,servicemonitors,prometheusrules,httproutes", NAMESPACE);
  const kinds = objects.map(({ kind }) => kind).toSorted();
  report.check(
    kinds.join() === "HTTPRoute,PrometheusRule,ScaledObject,ScaledObject,ServiceMonitor",
    "which took its objects",
    kinds,
  );
  const finds = async (): Promise<boolean> => {
    const [autoscaler] = await cluster.list("horizontalpodautoscalers", NAMESPACE);
    return autoscaler !== undefined && conditionOf(autoscaler, "AbleToScale")?.isTrue === true;
  };
  await until(finds, { withinMs: BOUND_MS, what: "the autoscaler to find what it scales" });
  report.check(true, "the autoscaler finds what it scales");
  const scaled = ["edge", "agent", "worker-cpu"].map((component) => `parley-${component}`);
  for (const name of scaled)
    await cluster.kubectl(["scale", "deployment", name, `--replicas=${SCALED_TO}`, "--namespace", NAMESPACE]);
  const more = { ...set, values: { ...set.values, settings: { LOG_LEVEL: "warn" } } };
  const upgraded = await cluster.release("upgrade", more, WAIT);
  report.check(upgraded.isOk, "helm upgrade --wait of what was scaled", upgraded.stderr);
  const undone = (await cluster.deployments(NAMESPACE)).filter(
    ({ name, replicas }) => scaled.includes(name) && replicas !== SCALED_TO,
  );
  report.none(
    undone.map(({ name, replicas }) => `${name}: ${replicas}`),
    "changes nobody's number of pods",
  );
  await cluster.helm(["uninstall", "parley", "--namespace", NAMESPACE, ...WAIT]);
}
