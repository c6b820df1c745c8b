import { dirname } from "node:path";
import { until } from "../../harness/processes.js";
import { argumentsOf, chart, inputOf, runHelm, type HelmResult, type ValueSet } from "../render.js";
import { type Fewest, fewestAvailable } from "./availability.js";
import { startControlPlane } from "./control-plane.js";
import { discoveryCache, type KubectlResult, runKubectl, runProgram } from "./kubectl.js";
import { nodes, volumes } from "./nodes.js";
import { type Deployment, deploymentOf, type Found, foundList, type Pod, podOf } from "./objects.js";
import { findDefinitions } from "./operators.js";

const BOUND_MS = 300_000;

/** Where nothing is admitted that Kubernetes' strictest standard of pods refuses. */
export type PodSecurity = "restricted" | "privileged";

/** A cluster with helm and kubectl in it. */
export interface TestCluster {
  /** Runs kubectl and gives what it prints; rejects where it fails. */
  kubectl(args: readonly string[], input?: unknown): Promise<string>;
  /** Runs kubectl, whatever it exits with. */
  tryKubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
  /** Runs a line of a shell that has kubectl and the cluster's address, whatever it exits with. */
  shell(line: string): Promise<KubectlResult>;
  /** Runs helm, whatever it exits with. */
  helm(args: readonly string[], set?: ValueSet): Promise<HelmResult>;
  /** Installs or upgrades the chart with a set of values. */
  release(command: "install" | "upgrade", set: ValueSet, more?: readonly string[]): Promise<HelmResult>;
  createNamespace(name: string, security: PodSecurity): Promise<void>;
  list(kinds: string, namespace: string, selector?: string): Promise<Found[]>;
  /** The pods that do not leave. */
  pods(namespace: string, component?: string): Promise<Pod[]>;
  deployments(namespace: string): Promise<Deployment[]>;
  /** What the fewest available pods of each Deployment were while `work` ran. */
  fewestAvailable(namespace: string, work: () => Promise<void>): Promise<Fewest>;
  stop(): Promise<void>;
}

const pollMs = { withinMs: BOUND_MS };

/** Starts a cluster with its nodes, volumes and the operators' kinds of objects. Throws MissingProgram. */
export async function startCluster(directory: string): Promise<TestCluster> {
  const { kubeconfig, kubectl: program, stop } = await startControlPlane(directory);
  const tryKubectl: TestCluster["tryKubectl"] = (args, input = "") => runKubectl(program, kubeconfig, args, input);
  const kubectl: TestCluster["kubectl"] = async (args, input) => {
    const { isOk, stdout, stderr } = await tryKubectl(args, input === undefined ? "" : JSON.stringify(input));
    if (!isOk) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const helm: TestCluster["helm"] = (args, set = {}) =>
    runHelm(["--kubeconfig", kubeconfig, ...args], inputOf(set), discoveryCache(kubeconfig));
  const list: TestCluster["list"] = async (kinds, namespace, selector = "") => {
    const args = ["get", kinds, "--namespace", namespace, "--selector", selector, "--output", "json"];
    return foundList.parse(JSON.parse(await kubectl(args))).items;
  };
  const cluster: TestCluster = {
    kubectl,
    tryKubectl,
    shell: (line) => {
      const path = `${dirname(program)}:${process.env.PATH ?? ""}`;
      return runProgram("sh", ["-c", line], { ...discoveryCache(kubeconfig), KUBECONFIG: kubeconfig, PATH: path });
    },
    helm,
    list,
    stop,
    release: (command, set, more = []) =>
      helm([command, set.release ?? "parley", chart, ...argumentsOf({ ...set, apiVersions: [] }), ...more], set),
    createNamespace: async (name, security) => {
      const labels = Object.fromEntries(
        ["enforce", "warn"].map((it) => [`pod-security.kubernetes.io/${it}`, security]),
      );
      await kubectl(["create", "--filename", "-"], { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
      // The service account of pods that name none comes from a controller.
      const isThere = async (): Promise<boolean> =>
        (await tryKubectl(["get", "serviceaccount", "default", "--namespace", name])).isOk;
      await until(isThere, { ...pollMs, what: `the namespace ${name}` });
    },
    pods: async (namespace, component) => {
      const selector = component === undefined ? "" : `app.kubernetes.io/component=${component}`;
      return (await list("pods", namespace, selector)).map(podOf).filter((pod) => pod !== null);
    },
    fewestAvailable: (namespace, work) => {
      const columns = "custom-columns=NAME:.metadata.name,AVAILABLE:.status.availableReplicas";
      const args = ["get", "deployments", "--namespace", namespace, "--watch", "--no-headers", "--output", columns];
      return fewestAvailable({ command: program, args: ["--kubeconfig", kubeconfig, ...args] }, work);
    },
    deployments: async (namespace) => (await list("deployments", namespace)).map(deploymentOf),
  };
  try {
    const definitions = findDefinitions().flatMap((file) => ["--filename", file]);
    // A server that has just begun may be too busy for it.
    const isTaken = async (): Promise<boolean> => (await tryKubectl(["apply", "--server-side", ...definitions])).isOk;
    await until(isTaken, { ...pollMs, what: "the operators' definitions" });
    await kubectl(["wait", "--for=condition=Established", "--timeout=300s", ...definitions]);
    await kubectl(["create", "--filename", "-"], {
      apiVersion: "v1",
      kind: "List",
      items: [
        ...[...nodes, ...volumes],
        { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "nvidia" }, handler: "nvidia" },
      ],
    });
    await kubectl(["wait", "--for=condition=Ready", "--timeout=300s", "nodes", "--all"]);
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}
