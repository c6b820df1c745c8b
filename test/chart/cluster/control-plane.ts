import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import { type GuardedProcess, spawnGuarded } from "#launcher/guarded-process";
import { until } from "../../harness/processes.js";
import { findFreePorts } from "../../harness/servers.js";
import { chartPrograms, findOrBuild } from "../programs.js";
import { podStages } from "./kubelet.js";
import { findOrBuildKubernetes } from "./kubernetes.js";
import { runKubectl } from "./kubectl.js";

const READY_MS = 120_000;
const STOP_MS = 10_000;

/** Kubernetes' own control plane with nodes that run no container, on loopback. */
export interface ControlPlane {
  kubeconfig: string;
  kubectl: string;
  stop(): Promise<void>;
}

/** Starts etcd, the API server, the controllers, the scheduler and kwok. Throws MissingProgram. */
export async function startControlPlane(directory: string): Promise<ControlPlane> {
  const programs = findOrBuildKubernetes();
  const kwok = findOrBuild(chartPrograms.kwok);
  const port = await findFreePorts(6);
  const at = (offset: number): string => `http://127.0.0.1:${port + offset}`;
  const certificates = join(directory, "certificates");
  const files = writeFiles(directory, `https://127.0.0.1:${port + 2}`, join(certificates, "apiserver.crt"));
  const running: GuardedProcess[] = [];
  const start = async (name: string, command: string, args: string[]): Promise<void> => {
    running.push(await spawnGuarded({ command, args, logFile: join(directory, `${name}.log`) }));
  };
  const stop = async (): Promise<void> => {
    for (const process of running.reverse()) await process.stop(STOP_MS);
  };
  try {
    await start("etcd", programs.etcd, [
      ...["--data-dir", join(directory, "etcd"), "--listen-client-urls", at(0), "--advertise-client-urls", at(0)],
      ...["--listen-peer-urls", at(1), "--initial-advertise-peer-urls", at(1), "--initial-cluster", `default=${at(1)}`],
      "--unsafe-no-fsync",
    ]);
    await start("kube-apiserver", programs["kube-apiserver"], [
      ...["--etcd-servers", at(0), "--bind-address", "127.0.0.1", "--secure-port", String(port + 2)],
      ...["--service-cluster-ip-range", "10.96.0.0/16", "--cert-dir", certificates],
      ...["--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", files.publicKey],
      ...["--service-account-signing-key-file", files.privateKey, "--token-auth-file", files.tokens],
      ...["--authorization-mode", "RBAC", "--advertise-address", "127.0.0.1"],
    ]);
    const answers = (): Promise<boolean> =>
      runKubectl(programs.kubectl, files.kubeconfig, ["get", "--raw", "/readyz"]).then(({ stdout }) => stdout === "ok");
    await until(answers, { withinMs: READY_MS, what: "the API server to answer" });
    const common = ["--kubeconfig", files.kubeconfig, "--leader-elect=false", "--bind-address", "127.0.0.1"];
    await start("kube-controller-manager", programs["kube-controller-manager"], [
      ...[...common, "--secure-port", String(port + 3), "--service-account-private-key-file", files.privateKey],
      // On a busy machine kwok's heartbeats come late: no node is lost for it. Autoscalers are looked at sooner.
      ...["--node-monitor-grace-period", "1h", "--horizontal-pod-autoscaler-sync-period", "2s"],
    ]);
    await start("kube-scheduler", programs["kube-scheduler"], [...common, "--secure-port", String(port + 4)]);
    await start("kwok", kwok, [
      ...["--kubeconfig", files.kubeconfig, "--manage-all-nodes=true", "--config", files.stages],
      ...["--server-address", `127.0.0.1:${port + 5}`],
    ]);
    return { kubeconfig: files.kubeconfig, kubectl: programs.kubectl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The key of service accounts' tokens, the administrator's token and how to use it, and how pods live. */
function writeFiles(directory: string, server: string, authority: string) {
  mkdirSync(directory, { recursive: true });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const write = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const token = newIdentifier();
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": authority } }],
    users: [{ name: "administrator", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "administrator" } }],
    "current-context": "test",
  };
  return {
    privateKey: write("service-accounts.key", privateKey),
    publicKey: write("service-accounts.pub", publicKey),
    tokens: write("tokens.csv", `${token},administrator,1,system:masters\n`),
    kubeconfig: write("kubeconfig", JSON.stringify(kubeconfig)),
    stages: write("stages.yaml", podStages.map((stage) => JSON.stringify(stage)).join("\n---\n")),
  };
}
