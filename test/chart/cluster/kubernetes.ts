import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import { chartCache, MissingProgram } from "../programs.js";

const VERSION = "1.36.3";
const programs = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"] as const;

/** A program of Kubernetes itself. */
export type KubernetesProgram = (typeof programs)[number];

/**
 * Gives the paths of Kubernetes' own programs; builds those that are not there: ten minutes of a core, once. A program
 * appears whole or not at all. Throws MissingProgram.
 */
export function findOrBuildKubernetes(): Readonly<Record<KubernetesProgram, string>> {
  const folder = chartCache("kubernetes", VERSION);
  const missing = programs.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) build(folder, missing);
  return Object.fromEntries(programs.map((name) => [name, join(folder, name)])) as Record<KubernetesProgram, string>;
}

function build(folder: string, missing: readonly KubernetesProgram[]): void {
  console.error(`chart: building ${missing.join(", ")} ${VERSION} (up to ten minutes of a core, once)`);
  const draft = join(folder, `.build-${newIdentifier().slice(0, 12)}`);
  mkdirSync(draft, { recursive: true });
  try {
    writeModule(draft);
    for (const name of missing) {
      go(draft, ["build", "-mod=mod", ...flags, "-o", join(draft, name), `k8s.io/kubernetes/cmd/${name}`]);
      renameSync(join(draft, name), join(folder, name));
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const [major = "", minor = ""] = VERSION.split(".");
/** Without its version the API server takes itself for v0.0.0, and refuses what was new in any release. */
const stamps = [
  `-X k8s.io/component-base/version.gitVersion=v${VERSION}`,
  `-X k8s.io/component-base/version.gitMajor=${major} -X k8s.io/component-base/version.gitMinor=${minor}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=v${VERSION}`,
];
const flags = ["-trimpath", "-ldflags", ["-s -w", ...stamps].join(" ")];

/**
 * Writes a module that requires Kubernetes' own. That one names modules which lie beside it in its repository, and which
 * its published form leaves out: they are published too, with versions of their own.
 */
function writeModule(folder: string): void {
  const { GoMod } = JSON.parse(go(folder, ["mod", "download", "-json", `k8s.io/kubernetes@v${VERSION}`])) as {
    GoMod: string;
  };
  const manifest = readFileSync(GoMod, "utf8");
  const beside = [...manifest.matchAll(/^\s(k8s\.io\/\S+) => \.\/staging/gm)].map(([, name]) => name);
  const version = `v0.${VERSION.slice(VERSION.indexOf(".") + 1)}`;
  const language = /^go (\S+)$/m.exec(manifest)?.[1] ?? "1.26.0";
  const lines = [
    ...["module parley.test/kubernetes", `go ${language}`, `require k8s.io/kubernetes v${VERSION}`],
    ...beside.map((name) => `replace ${name} => ${name} ${version}`),
    ...programs.map((name) => `tool k8s.io/kubernetes/cmd/${name}`),
  ];
  writeFileSync(join(folder, "go.mod"), `${lines.join("\n")}\n`);
}

/** Runs Go and gives what it prints. Throws MissingProgram where it fails. */
export function go(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("go", [...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new MissingProgram(`go ${args.slice(0, 2).join(" ")} failed: ${error?.message ?? stderr}`);
  return stdout;
}
