import { z } from "zod";
import type { ValueSet } from "../render.js";
import { cpuNodes, gpuNodes, zoneOf } from "./nodes.js";
import type { Found, Pod } from "./objects.js";
import type { Report } from "./report.js";
import type { TestCluster } from "./test-cluster.js";

/** Longer than anything takes that comes to an end, on a machine that does other work too. */
export const BOUND_MS = 300_000;
export const WAIT = ["--wait", "--timeout", `${BOUND_MS / 1000}s`] as const;

/** The release that most of the tests are about: embedded stores, and a pool that takes every GPU there is. */
export const speech: ValueSet = {
  namespace: "speech",
  values: {
    edge: { replicas: 4 },
    gpuWorkers: [{ name: "gpu", replicas: gpuNodes.length }],
    priorityClasses: { create: true },
  },
};

/** What of the other one's pods holds the GPUs. */
export const GPU_COMPONENT = "worker-gpu";

/** Installs the release in a namespace that admits restricted pods alone, and looks at where everything is. */
export async function checkInstall(cluster: TestCluster, report: Report): Promise<void> {
  await cluster.createNamespace("speech", "restricted");
  const { isOk, stderr } = await cluster.release("install", speech, WAIT);
  report.check(isOk, "helm install --wait, where pods are restricted", stderr);
  if (!isOk) throw new Error("all else is about this release");
  const pods = await cluster.pods("speech");
  const unready = pods.filter(({ isReady }) => !isReady).map(({ name }) => name);
  report.check(pods.length > 0 && unready.length === 0, `${pods.length} pods are ready`, unready);
  checkPlaces(pods, report);
  await checkServices(cluster, report);
  await checkPolicies(cluster, report);
  await checkOwnership(cluster, report);
  await checkBudgets(cluster, report);
  await checkNotes(cluster, report);
  const tested = await cluster.helm(["test", "parley", "--namespace", "speech", ...WAIT.slice(1)]);
  report.check(tested.isOk && /Succeeded/.test(tested.stdout), "helm test makes its pod, and waits until it ends", [
    tested.stdout,
    tested.stderr,
  ]);
}

/** Runs those commands of the release's notes that need nothing but the API server, as a person would. */
async function checkNotes(cluster: TestCluster, report: Report): Promise<void> {
  const { stdout } = await cluster.helm(["get", "notes", "parley", "--namespace", "speech"]);
  const lines = stdout.split("\n").map((line) => line.trim());
  const status = lines.find((line) => line.startsWith("kubectl") && line.includes("rollout status")) ?? "false";
  const rolledOut = await cluster.shell(status);
  const isRolledOut = rolledOut.stdout.includes('deployment "parley-edge" successfully rolled out');
  report.check(isRolledOut, "the notes' first command", [status, rolledOut.stderr]);
  const key = lines.find((line) => line.startsWith("KEY=")) ?? "false";
  const shown = await cluster.shell(`${key}\necho "$KEY"`);
  report.check(/^[A-Za-z0-9]{48}\n$/.test(shown.stdout), "and the one that gives the key", [key, shown.stderr]);
}

function checkPlaces(pods: readonly Pod[], report: Report): void {
  const nodesOf = (component: string): string[] =>
    pods.filter((pod) => pod.component === component).map(({ node }) => node ?? "none");
  const gpu = nodesOf(GPU_COMPONENT);
  report.check(gpu.toSorted().join() === gpuNodes.join(), "each pod with a GPU is on a node with a GPU", gpu);
  const astray = pods.filter(({ component, node }) => component !== GPU_COMPONENT && !isCpuNode(node));
  report.none(astray.map(nameAndNode), "no other pod is on such a node");
  const edges = nodesOf("edge");
  report.check(edges.toSorted().join() === cpuNodes.join(), "four edges are on four nodes", edges);
  for (const component of ["scheduler", "control-plane", "agent", "worker-cpu"]) {
    const zones = nodesOf(component).map(zoneOf);
    report.check(zones.toSorted().join() === "north,south", `the pods of ${component} are in both zones`, zones);
  }
  report.none(
    pods.filter(({ priority }) => priority === 0).map(({ name }) => name),
    "every pod goes before those of other priorities: none of the release can push another of it aside",
  );
}

const isCpuNode = (node: string | null): boolean => cpuNodes.some((name) => name === node);
const nameAndNode = ({ name, node }: Pod): string => `${name}: ${node}`;

const slices = z.looseObject({ endpoints: z.array(z.unknown()).nullish(), ports: z.array(z.unknown()).nullish() });

async function checkServices(cluster: TestCluster, report: Report): Promise<void> {
  const services = await cluster.list("services", "speech");
  const all = await cluster.list("endpointslices", "speech");
  const isEmpty = ({ metadata }: Found): boolean =>
    !all.some((slice) => {
      const { endpoints, ports } = slices.parse(slice);
      const isOfService = slice.metadata.labels["kubernetes.io/service-name"] === metadata.name;
      return isOfService && (endpoints ?? []).length > 0 && (ports ?? []).length > 0;
    });
  const empty = services.filter(isEmpty).map(({ metadata }) => metadata.name);
  const isNoneEmpty = services.length > 0 && empty.length === 0;
  report.check(isNoneEmpty, `each of ${services.length} Services leads to pods, at ports that they have`, empty);
}

const policySpec = z.looseObject({
  podSelector: z.looseObject({
    matchLabels: z.record(z.string(), z.string()).default({}),
    matchExpressions: z
      .array(z.object({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }))
      .default([]),
  }),
});

async function checkPolicies(cluster: TestCluster, report: Report): Promise<void> {
  const policies = await cluster.list("networkpolicies", "speech");
  const idle: string[] = [];
  for (const { metadata, spec } of policies) {
    const { matchLabels, matchExpressions } = policySpec.parse(spec).podSelector;
    const terms = [
      ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
      ...matchExpressions.map(({ key, values }) => `${key} in (${values.join()})`),
    ];
    // `helm test` has not run yet.
    if (metadata.name === "parley-test") continue;
    if ((await cluster.list("pods", "speech", terms.join())).length === 0) idle.push(metadata.name);
  }
  const isNoneIdle = policies.length > 0 && idle.length === 0;
  report.check(isNoneIdle, `each of ${policies.length} network policies selects pods`, idle);
}

/** A second owner of the fields, as a GitOps controller is, says the same of them: it conflicts with nobody. */
async function checkOwnership(cluster: TestCluster, report: Report): Promise<void> {
  const manifest = (await cluster.helm(["get", "manifest", "parley", "--namespace", "speech"])).stdout;
  const common = ["--server-side", "--namespace", "speech", "--filename", "-"];
  const applied = await cluster.tryKubectl(
    ["apply", ...common, "--dry-run=server", "--field-manager=gitops"],
    manifest,
  );
  report.check(applied.isOk && applied.stderr === "", "server-side apply by somebody else conflicts with nothing", [
    applied.stderr,
  ]);
  const compared = await cluster.tryKubectl(["diff", ...common, "--field-manager=gitops"], manifest);
  report.check(compared.isOk, "the server stored what was written, field by field", [compared.stdout, compared.stderr]);
}

const budget = z.looseObject({ status: z.looseObject({ expectedPods: z.number(), disruptionsAllowed: z.number() }) });

async function checkBudgets(cluster: TestCluster, report: Report): Promise<void> {
  const budgets = await cluster.list("poddisruptionbudgets", "speech");
  const wrong = budgets.filter((object) => {
    const { expectedPods, disruptionsAllowed } = budget.parse(object).status;
    return expectedPods < 2 || disruptionsAllowed !== 1;
  });
  report.check(
    budgets.length === 6 && wrong.length === 0,
    `each of ${budgets.length} budgets is of several pods, of which one may go`,
    wrong.map(({ metadata }) => metadata.name),
  );
}
