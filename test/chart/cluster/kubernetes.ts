import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import { chartCache, MissingProgram } from "../programs.js";

const VERSION = "1.36.3";
/** The one that this release of Kubernetes is made with. Debian's is older, and kwok's watches end as they begin. */
const ETCD_VERSION = "3.6.8";

/** A program's path in the cache, and the module that it is built from where it is not there. */
interface Source {
  path: string;
  package: string;
  flags: readonly string[];
  /** The lines of a module that requires the program's own. */
  moduleOf(folder: string): readonly string[];
}

const [major = "", minor = ""] = VERSION.split(".");
/** Without its version the API server takes itself for v0.0.0, and refuses what was new in any release. */
const stamps = [
  `-X k8s.io/component-base/version.gitVersion=v${VERSION}`,
  `-X k8s.io/component-base/version.gitMajor=${major} -X k8s.io/component-base/version.gitMinor=${minor}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=v${VERSION}`,
];

const ofKubernetes = (name: string): Source => ({
  path: chartCache("kubernetes", VERSION, name),
  package: `k8s.io/kubernetes/cmd/${name}`,
  flags: ["-ldflags", ["-s -w", ...stamps].join(" ")],
  moduleOf: kubernetesModule,
});

const sources = {
  etcd: {
    path: chartCache("etcd", ETCD_VERSION, "etcd"),
    package: "go.etcd.io/etcd/server/v3",
    flags: ["-ldflags", "-s -w"],
    moduleOf: () => ["go 1.25.0", `require go.etcd.io/etcd/server/v3 v${ETCD_VERSION}`],
  },
  "kube-apiserver": ofKubernetes("kube-apiserver"),
  "kube-controller-manager": ofKubernetes("kube-controller-manager"),
  "kube-scheduler": ofKubernetes("kube-scheduler"),
  kubectl: ofKubernetes("kubectl"),
} satisfies Record<string, Source>;

/** The programs of a control plane, and the client of it. */
type ControlPlaneProgram = keyof typeof sources;

/**
 * Gives the paths of a control plane's programs; builds those that are not there: a quarter of an hour of a core, once.
 * Throws MissingProgram.
 */
export function findOrBuildKubernetes(): Readonly<Record<ControlPlaneProgram, string>> {
  const all = Object.entries(sources);
  for (const [name, source] of all) if (!existsSync(source.path)) build(name, source);
  return Object.fromEntries(all.map(([name, { path }]) => [name, path])) as Record<ControlPlaneProgram, string>;
}

/** Builds a program, which appears whole or not at all. */
function build(name: string, source: Source): void {
  console.error(`chart: building ${name} (minutes of a core, once)`);
  const draft = `${source.path}.build-${newIdentifier().slice(0, 12)}`;
  mkdirSync(draft, { recursive: true });
  try {
    const lines = ["module parley.test/programs", ...source.moduleOf(draft), `tool ${source.package}`];
    writeFileSync(join(draft, "go.mod"), `${lines.join("\n")}\n`);
    go(draft, ["build", "-mod=mod", "-trimpath", ...source.flags, "-o", join(draft, name), source.package]);
    renameSync(join(draft, name), source.path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Kubernetes' own module names modules that lie beside it in its repository, and which its published form leaves out:
 * they are published too, with versions of their own.
 */
function kubernetesModule(folder: string): string[] {
  const { GoMod } = JSON.parse(go(folder, ["mod", "download", "-json", `k8s.io/kubernetes@v${VERSION}`])) as {
    GoMod: string;
  };
  const manifest = readFileSync(GoMod, "utf8");
  const beside = [...manifest.matchAll(/^\s(k8s\.io\/\S+) => \.\/staging/gm)].map(([, name]) => name);
  const version = `v0.${VERSION.slice(VERSION.indexOf(".") + 1)}`;
  return [
    ...[`go ${/^go (\S+)$/m.exec(manifest)?.[1] ?? "1.26.0"}`, `require k8s.io/kubernetes v${VERSION}`],
    ...beside.map((name) => `replace ${name} => ${name} ${version}`),
  ];
}

/** Runs Go and gives what it prints. Throws MissingProgram where it fails. */
export function go(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("go", [...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new MissingProgram(`go ${args.slice(0, 2).join(" ")} failed: ${error?.message ?? stderr}`);
  return stdout;
}
