import type { ValueSet } from "../render.js";
import { WAIT } from "./install.js";
import { BROKEN_TAG } from "./kubelet.js";
import { gpuNodes, MIG_NODE } from "./nodes.js";
import type { Report } from "./report.js";
import { generationsOf } from "./rollouts.js";
import type { TestCluster } from "./test-cluster.js";

const NAMESPACE = "production";

const secrets: Readonly<Record<string, readonly string[]>> = {
  "parley-stores": ["NATS_URL", "REDIS_URL", "DATABASE_URL", "CLICKHOUSE_URL"],
  "parley-keys": ["PARLEY_API_KEY", "PARLEY_SECRET_KEY", "PARLEY_OPERATOR_TOKEN"],
  "parley-others": ["LLM_API_KEY", "S3_SECRET_ACCESS_KEY"],
};

/** The two examples for production together, first with a migration that fails and then with one that does not. */
export async function checkProduction(cluster: TestCluster, report: Report): Promise<void> {
  // LiveKit is on its node's network there, which restricted pods are not.
  await cluster.createNamespace(NAMESPACE, "privileged");
  for (const [name, keys] of Object.entries(secrets)) {
    const literals = keys.map((key) => `--from-literal=${key}=${"x".repeat(40)}`);
    await cluster.kubectl(["create", "secret", "generic", name, "--namespace", NAMESPACE, ...literals]);
  }
  await cluster.kubectl(["create", "--namespace", NAMESPACE, "--filename", "-"], {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "parley-models" },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "20Gi" } } },
  });
  const set: ValueSet = { namespace: NAMESPACE, files: ["values-production.yaml", "values-gpu.yaml"] };
  const broken = { ...set, values: { image: { repository: "parley", tag: BROKEN_TAG } } };
  const refused = await cluster.release("install", broken, ["--wait", "--timeout", "10s"]);
  const isBeforeAll = !refused.isOk && /pre-install/.test(refused.stderr);
  report.check(isBeforeAll, "with a database of one's own its migration goes before the install", refused.stderr);
  report.check((await cluster.deployments(NAMESPACE)).length === 0, "which ends there where it fails");
  await cluster.helm(["uninstall", "parley", "--namespace", NAMESPACE, ...WAIT]);
  const { isOk, stderr } = await cluster.release("install", set, WAIT);
  report.check(isOk, "helm install --wait of values-production.yaml with values-gpu.yaml", stderr);
  const placesOf = async (component: string): Promise<string[]> =>
    (await cluster.pods(NAMESPACE, component)).map(({ node }) => node ?? "none").toSorted();
  const voices = await placesOf("worker-voices");
  report.check(
    voices.length > 0 && voices.every((name) => gpuNodes.some((node) => node === name)),
    "voices are on nodes with that product",
    voices,
  );
  const recognizers = await placesOf("worker-recognizers");
  report.check(recognizers.join() === `${MIG_NODE},${MIG_NODE}`, "recognizers share a GPU of the other", recognizers);
  const before = await generationsOf(cluster, NAMESPACE);
  const patch = JSON.stringify({ stringData: { LLM_API_KEY: "y".repeat(40) } });
  await cluster.kubectl(["patch", "secret", "parley-others", "--namespace", NAMESPACE, "--patch", patch]);
  const upgraded = await cluster.release("upgrade", set, WAIT);
  const after = await generationsOf(cluster, NAMESPACE);
  const unchanged = after.filter((line) => before.includes(line) && !line.startsWith("parley-livekit"));
  report.check(
    upgraded.isOk && unchanged.length === 0,
    "an upgrade after a secret of one's own has changed replaces the pods",
    [upgraded.stderr, ...unchanged],
  );
  await cluster.helm(["uninstall", "parley", "--namespace", NAMESPACE, ...WAIT]);
}
