import { until } from "../../harness/processes.js";
import { valueSets } from "../value-sets.js";
import { BOUND_MS, speech, WAIT } from "./install.js";
import { cpuNodes } from "./nodes.js";
import type { Report } from "./report.js";
import { secretOf } from "./rollouts.js";
import type { TestCluster } from "./test-cluster.js";

const FULL = "full";

/** A second release in the same namespace, and one of the same name in another: neither touches the first. */
export async function checkNeighbours(cluster: TestCluster, report: Report): Promise<void> {
  await cluster.createNamespace("other", "restricted");
  const values = { ...valueSets["the laptop's example"]?.values, priorityClasses: { create: true } };
  const set = { files: ["values-dev.yaml"], values };
  const uids = async (): Promise<string> =>
    (await cluster.pods("speech"))
      .filter(({ name }) => name.startsWith("parley-"))
      .map(({ uid }) => uid)
      .toSorted()
      .join();
  const before = await uids();
  for (const [release, namespace] of [
    ["parley", "other"],
    ["second", "speech"],
  ] as const) {
    const { isOk, stderr } = await cluster.release("install", { ...set, release, namespace }, WAIT);
    report.check(isOk, `a release ${release} in the namespace ${namespace} beside the first one`, stderr);
    const gone = await cluster.helm(["uninstall", release, "--namespace", namespace, ...WAIT]);
    report.check(gone.isOk, "goes again", gone.stderr);
  }
  report.check((await uids()) === before, "and the first one's pods are those that they were");
  await cluster.kubectl(["delete", "secret", "second-parley-secrets", "--namespace", "speech"]);
}

/** Uninstalls the release, and installs it again with what stayed. */
export async function checkUninstall(cluster: TestCluster, report: Report): Promise<void> {
  const secret = await secretOf(cluster);
  await uninstall(cluster, report);
  const left = await leftIn(cluster, "speech");
  const stays = ["data-parley-clickhouse-0", "data-parley-nats-0", "data-parley-postgres-0"];
  const expected = ["secret/parley-secrets", ...stays.map((name) => `persistentvolumeclaim/${name}`)].toSorted();
  report.check(
    left.join() === expected.join(),
    "nothing is left of it but its volumes and the secrets that open them",
    left.filter((name) => !expected.includes(name)),
  );
  const { isOk, stderr } = await cluster.release("install", speech, WAIT);
  report.check(isOk && (await secretOf(cluster)) === secret, "with which it is installed again", stderr);
}

async function uninstall(cluster: TestCluster, report: Report): Promise<void> {
  const { isOk, stderr } = await cluster.helm(["uninstall", "parley", "--namespace", "speech", ...WAIT]);
  report.check(isOk, "helm uninstall --wait", stderr);
  const isEmpty = async (): Promise<boolean> => (await cluster.list("pods", "speech")).length === 0;
  await until(isEmpty, { withinMs: BOUND_MS, what: "every pod to be gone" });
}

/** What every namespace has from the beginning. */
const ofEveryNamespace = ["configmap/kube-root-ca.crt", "serviceaccount/default"];

/** Every object of a namespace, of whatever kind, and those of the cluster that say that they are Parley's. */
async function leftIn(cluster: TestCluster, namespace: string): Promise<string[]> {
  const namesOf = async (isNamespaced: boolean, more: readonly string[]): Promise<string[]> => {
    const list = ["api-resources", "--verbs=list,delete", `--namespaced=${isNamespaced}`, "--output=name"];
    const kinds = (await cluster.kubectl(list)).split("\n").filter((kind) => kind !== "" && !/^events/.test(kind));
    const names = await cluster.kubectl(["get", kinds.join(), "--ignore-not-found", "--output", "name", ...more]);
    return names.split("\n").filter((name) => name !== "" && !ofEveryNamespace.includes(name));
  };
  return [
    ...(await namesOf(true, ["--namespace", namespace])),
    ...(await namesOf(false, ["--selector", "app.kubernetes.io/part-of=parley"])),
  ].toSorted();
}

/** Installs the release where other people's pods take all there is: it has a class that goes before them. */
export async function checkPriority(cluster: TestCluster, report: Report): Promise<void> {
  await uninstall(cluster, report);
  await cluster.createNamespace(FULL, "privileged");
  const labels = { app: "filler" };
  // Seven of the eight cores of each node.
  const pod = {
    metadata: { labels },
    spec: { containers: [{ name: "filler", image: "filler:1", resources: { requests: { cpu: "7" } } }] },
  };
  await cluster.kubectl(["create", "--namespace", FULL, "--filename", "-"], {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "filler" },
    spec: { replicas: cpuNodes.length, selector: { matchLabels: labels }, template: pod },
  });
  await cluster.kubectl([
    "rollout",
    "status",
    "deployment/filler",
    "--namespace",
    FULL,
    `--timeout=${BOUND_MS / 1000}s`,
  ]);
  const { isOk, stderr } = await cluster.release("install", speech, WAIT);
  report.check(isOk, "helm install --wait where the nodes are full of others' pods", stderr);
  const fillers = await cluster.pods(FULL);
  const waiting = fillers.filter(({ unschedulable }) => unschedulable !== null).length;
  report.check(waiting > 0, `the scheduler took ${waiting} of those away for it`);
  const events = ["get", "events", "--field-selector", "reason=Preempted", "--output", "name"];
  const own = await cluster.kubectl([...events, "--namespace", "speech"]);
  report.check(own === "", "and none of its own", own);
  await uninstall(cluster, report);
  await cluster.kubectl(["delete", "namespace", FULL]);
}
