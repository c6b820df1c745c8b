import { until } from "../../harness/processes.js";
import type { ValueSet } from "../render.js";
import type { Fewest } from "./availability.js";
import { BOUND_MS, GPU_COMPONENT, speech, WAIT } from "./install.js";
import { BROKEN_TAG, STUCK_TAG } from "./kubelet.js";
import { gpuNodes } from "./nodes.js";
import type { Report } from "./report.js";
import type { TestCluster } from "./test-cluster.js";

/** An upgrade that cannot come to its end is waited for this long. */
const VAIN = ["--wait", "--timeout", "10s"] as const;

/** The installed release with other values besides. */
const released = (values: object): ValueSet => ({ ...speech, values: { ...speech.values, ...values } });
const quiet = { settings: { LOG_LEVEL: "warn" } };

/** Upgrades that succeed and that fail, and the ways back. */
export async function checkRollouts(cluster: TestCluster, report: Report): Promise<void> {
  const secret = await secretOf(cluster);
  await checkUpgrade(cluster, report, secret);
  await checkFailedMigration(cluster, report);
  await checkStuckPods(cluster, report);
  await checkSpareGpu(cluster, report);
  report.check((await secretOf(cluster)) === secret, "after all this the generated secrets are the first ones");
}

/** What the release has generated. */
export async function secretOf(cluster: TestCluster): Promise<string> {
  const secrets = await cluster.list("secrets", "speech", "app.kubernetes.io/part-of=parley");
  if (secrets.length !== 1 || secrets[0]?.data?.PARLEY_API_KEY === undefined) throw new Error("there is no secret");
  return JSON.stringify(secrets[0].data);
}

const isQuiet = async (cluster: TestCluster): Promise<boolean> =>
  (await cluster.kubectl(["get", "deployment", "parley-edge", "--namespace", "speech", "--output", "json"])).includes(
    '"warn"',
  );

/** Changes where a Deployment does, so that its pods are replaced. */
export async function generationsOf(cluster: TestCluster, namespace: string): Promise<string[]> {
  return (await cluster.deployments(namespace)).map(({ name, generation }) => `${name} ${generation}`);
}

async function checkUpgrade(cluster: TestCluster, report: Report, secret: string): Promise<void> {
  const before = await generationsOf(cluster, "speech");
  const same = await cluster.release("upgrade", speech, WAIT);
  const isSame = (await generationsOf(cluster, "speech")).join() === before.join();
  report.check(same.isOk && isSame, "an upgrade with the same values replaces no pod", same.stderr);
  let fewest = await cluster.fewestAvailable("speech", async () => {
    const { isOk, stderr } = await cluster.release("upgrade", released(quiet), WAIT);
    report.check(isOk, "helm upgrade --wait, with every GPU in use", stderr);
  });
  await checkStayedUp(cluster, report, fewest, "while every pod of a role was replaced");
  report.check(await isQuiet(cluster), "the upgrade changed the settings");
  report.check((await secretOf(cluster)) === secret, "and no secret");
  const events = await cluster.kubectl(["get", "events", "--namespace", "speech", "--output", "name"]);
  report.check(events.includes("parley-migration"), "its migration ran");
  const jobs = await cluster.list("jobs", "speech");
  report.check(jobs.length === 0, "and is cleaned away");
  fewest = await cluster.fewestAvailable("speech", () => goBack(cluster, report));
  await checkStayedUp(cluster, report, fewest, "while it was rolled back");
  report.check(!(await isQuiet(cluster)), "the rollback brought the settings back");
}

async function goBack(cluster: TestCluster, report: Report): Promise<void> {
  const { isOk, stderr } = await cluster.helm(["rollback", "parley", "1", "--namespace", "speech", ...WAIT]);
  report.check(isOk, "helm rollback --wait", stderr);
}

/** No pod of a role goes before its successor is ready, but for one of a pool whose successor needs its GPU. */
async function checkStayedUp(cluster: TestCluster, report: Report, fewest: Fewest, when: string): Promise<void> {
  const deployments = await cluster.deployments("speech");
  const missed = deployments.flatMap(({ name, replicas }) => {
    const atLeast = name.endsWith(GPU_COMPONENT) ? replicas - 1 : replicas;
    const seen = fewest.get(name) ?? 0;
    return seen < atLeast ? [`${name}: ${seen} of ${replicas}`] : [];
  });
  report.none(missed, `as many pods served as should, ${when}`);
}

async function checkFailedMigration(cluster: TestCluster, report: Report): Promise<void> {
  const before = await generationsOf(cluster, "speech");
  const broken = released({ image: { tag: BROKEN_TAG } });
  const { isOk, stderr } = await cluster.release("upgrade", broken, VAIN);
  report.check(!isOk && /pre-upgrade hooks failed/.test(stderr), "a migration that fails ends the upgrade", stderr);
  const after = await generationsOf(cluster, "speech");
  report.check(after.join() === before.join(), "before any Deployment has changed");
  const hasFailed = async (): Promise<boolean> =>
    (await cluster.list("jobs", "speech")).some(({ status }) => Number(status?.failed) > 0);
  await until(hasFailed, { withinMs: BOUND_MS, what: "the migration to fail" });
  report.check(true, "and its Job stays, for its logs");
}

async function checkStuckPods(cluster: TestCluster, report: Report): Promise<void> {
  const stuck = released({
    controlPlane: { migrationJob: false },
    image: { tag: STUCK_TAG },
    gpuImage: { repository: "parley", tag: STUCK_TAG },
  });
  let fewest = await cluster.fewestAvailable("speech", async () => {
    const { isOk } = await cluster.release("upgrade", stuck, VAIN);
    report.check(!isOk, "an upgrade to an image that never becomes ready does not succeed");
  });
  await checkStayedUp(cluster, report, fewest, "beside pods that never became ready");
  fewest = await cluster.fewestAvailable("speech", () => goBack(cluster, report));
  await checkStayedUp(cluster, report, fewest, "on the way back from it");
}

/** The contrary of the chart's default: it shows that this scheduler lets a pod wait for a GPU that is in use. */
async function checkSpareGpu(cluster: TestCluster, report: Report): Promise<void> {
  const spare = { name: "gpu", replicas: gpuNodes.length, gpu: { spare: true } };
  const { isOk, stderr } = await cluster.release("upgrade", released({ ...quiet, gpuWorkers: [spare] }));
  report.check(isOk, "gpu.spare is set where none is", stderr);
  const waits = async (): Promise<boolean> =>
    (await cluster.pods("speech", GPU_COMPONENT)).some((pod) => pod.unschedulable?.includes("nvidia.com/gpu") === true);
  await until(waits, { withinMs: BOUND_MS, what: "a pod that waits for a GPU" });
  const ready = (await cluster.pods("speech", GPU_COMPONENT)).filter(({ isReady }) => isReady);
  report.check(ready.length === gpuNodes.length, "the new pod waits for a GPU, and the old ones serve on");
  await goBack(cluster, report);
}
