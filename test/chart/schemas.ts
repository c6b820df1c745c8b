import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import { root } from "../structure/sources.js";
import { chartCache, chartPrograms, findOrBuild, MissingProgram } from "./programs.js";

/** The releases of Kubernetes that the chart is for. */
export const kubernetesVersions = ["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"] as const;

/** A Python package that brings Kubernetes' JSON schemas of each release, so that nothing else is downloaded. */
const schemaPackage = {
  name: "kubernetes-validate",
  version: "1.37.0",
  file: "kubernetes_validate-1.37.0-py3-none-any.whl",
  sha256: "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9",
};

/** The kinds that the chart makes. Another one is refused as unknown. */
const kinds = [
  ...["deployment-apps-v1", "statefulset-apps-v1", "job-batch-v1", "pod-v1", "service-v1", "configmap-v1", "secret-v1"],
  ...["serviceaccount-v1", "networkpolicy-networking-v1", "ingress-networking-v1", "poddisruptionbudget-policy-v1"],
  ...["horizontalpodautoscaler-autoscaling-v2", "priorityclass-scheduling-v1"],
];

/** Of the operators' objects: made from their CustomResourceDefinitions, which stand beside this file. */
const operatorSchemas = join(root, "test/chart/crds");

/** Whether the schemas are there already. */
export const hasSchemas = (): boolean => existsSync(folderOf());

const folderOf = (): string => chartCache(schemaPackage.name, schemaPackage.version);

/** Gives the folder that has a folder of schemas for each release; fetches them once. Throws MissingProgram. */
export function findOrFetchSchemas(): string {
  const folder = folderOf();
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${newIdentifier().slice(0, 12)}`;
  mkdirSync(draft, { recursive: true });
  try {
    const { name, version, file, sha256 } = schemaPackage;
    const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"];
    run("python3", [...pip, "--only-binary", ":all:", "--dest", draft, `${name}==${version}`]);
    const wheel = join(draft, file);
    const found = createHash("sha256").update(readFileSync(wheel)).digest("hex");
    if (found !== sha256) throw new MissingProgram(`${file} has the SHA-256 ${found}, not ${sha256}`);
    run("python3", ["-m", "zipfile", "-e", wheel, join(draft, "wheel")]);
    const ready = join(draft, "ready");
    for (const kubernetes of kubernetesVersions)
      convert(
        join(draft, "wheel/kubernetes_validate/kubernetes-json-schema", `v${kubernetes}.0-local-strict`),
        ready,
        kubernetes,
      );
    renameSync(ready, folder);
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The package's own loader resolves names that nobody else does. */
function convert(from: string, to: string, kubernetes: string): void {
  const folder = join(to, kubernetes);
  mkdirSync(folder, { recursive: true });
  for (const name of ["_definitions", ...kinds].map((kind) => `${kind}.json`)) {
    const { $id: _, ...schema } = JSON.parse(readFileSync(join(from, name), "utf8")) as Record<string, unknown>;
    writeFileSync(
      join(folder, name),
      JSON.stringify(schema).replaceAll('"/api/_definitions.json', '"_definitions.json'),
    );
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status !== 0)
    throw new MissingProgram(`${program} ${args.slice(0, 3).join(" ")} failed: ${error?.message ?? stderr}`);
}

/** What kubeconform finds wrong with the objects in a file, in one release; empty where nothing is. */
export function findInvalid(file: string, kubernetes: string): Promise<string> {
  const kind = "{{.ResourceKind}}{{.KindSuffix}}.json";
  const args = [
    ...["-strict", "-summary", "-n", "2", "-kubernetes-version", `${kubernetes}.0`],
    ...["-schema-location", join(findOrFetchSchemas(), kubernetes, kind)],
    ...["-schema-location", join(operatorSchemas, kind)],
    file,
  ];
  return new Promise((resolve) => {
    execFile(findOrBuild(chartPrograms.kubeconform), args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve(
        error === null && / Invalid: 0, Errors: 0, Skipped: 0/.test(stdout) ? "" : `${stdout}${stderr}` || "failed",
      ),
    );
  });
}
