import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { root } from "../structure/sources.js";
import { chartPrograms, findOrBuild } from "./programs.js";

export const chart = join(root, "helm/parley");

/** A set of values as a person gives it: files of the chart, and what is set besides. */
export interface ValueSet {
  files?: readonly string[];
  values?: object;
  /** APIs that the cluster has besides Kubernetes' own. */
  apiVersions?: readonly string[];
  release?: string;
  namespace?: string;
}

/** What an environment variable of a container is: a text, or what it is read from. */
const variable = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({
      secretKeyRef: z.looseObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() }).optional(),
      fieldRef: z.looseObject({ fieldPath: z.string() }).optional(),
    })
    .optional(),
});

const probe = z.looseObject({
  httpGet: z.looseObject({ path: z.string(), port: z.union([z.string(), z.number()]) }).optional(),
  periodSeconds: z.number().optional(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.array(variable).default([]),
  ports: z
    .array(z.looseObject({ name: z.string(), containerPort: z.number(), protocol: z.string().optional() }))
    .default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z.looseObject({ preStop: z.object({ exec: z.object({ command: z.array(z.string()) }) }) }).optional(),
  resources: z.looseObject({
    limits: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    requests: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  }),
  securityContext: z.looseObject({}).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});

const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  priorityClassName: z.string().optional(),
  runtimeClassName: z.string().optional(),
  securityContext: z.looseObject({}).optional(),
  nodeSelector: z.record(z.string(), z.string()).optional(),
  tolerations: z.array(z.looseObject({ key: z.string().optional() })).optional(),
  topologySpreadConstraints: z.array(z.looseObject({ topologyKey: z.string() })).optional(),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.looseObject({}).optional(),
  data: z.record(z.string(), z.string()).optional(),
  stringData: z.record(z.string(), z.string()).optional(),
});

/** One object that the chart makes. */
export type Manifest = z.infer<typeof manifest>;

/** The pods of a workload. */
export type PodSpec = z.infer<typeof podSpec>;

export type Container = z.infer<typeof container>;

/** What came of a call of helm. */
export interface HelmResult {
  isOk: boolean;
  stdout: string;
  stderr: string;
}

/** Runs helm, with `input` on its standard input; resolves whatever it exits with. */
export function runHelm(
  args: readonly string[],
  input = "",
  environment: Readonly<Record<string, string>> = {},
): Promise<HelmResult> {
  return new Promise((resolve) => {
    const child = execFile(
      findOrBuild(chartPrograms.helm),
      [...args],
      { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, HELM_DEBUG: "false", ...environment } },
      (error, stdout, stderr) => resolve({ isOk: error === null, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Helm, built from its module, takes a cluster that it does not ask for an old one. */
export const kubeVersion = ["--kube-version", "1.36.0"] as const;

/** What `helm template` prints for a set of values. */
export function template(set: ValueSet): Promise<HelmResult> {
  return runHelm(["template", set.release ?? "parley", chart, ...kubeVersion, ...argumentsOf(set)], inputOf(set));
}

/** The arguments by which helm learns a set of values, besides the release and the chart. */
export function argumentsOf({ files = [], values, apiVersions = [], namespace = "speech" }: ValueSet): string[] {
  return [
    ...["--namespace", namespace],
    ...files.flatMap((file) => ["--values", join(chart, file)]),
    ...apiVersions.flatMap((version) => ["--api-versions", version]),
    ...(values === undefined ? [] : ["--values", "-"]),
  ];
}

/** What those arguments read from standard input. JSON is YAML. */
export const inputOf = ({ values }: ValueSet): string => (values === undefined ? "" : JSON.stringify(values));

/** The objects in a stream of YAML documents. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text, { merge: true })
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null)
    .map((value) => manifest.parse(value));
}

/** The pods of an object that has some; null for another one. */
export function podsOf({ kind, spec }: Manifest): PodSpec | null {
  if (kind === "Pod") return podSpec.parse(spec);
  if (!["Deployment", "StatefulSet", "Job"].includes(kind)) return null;
  return podSpec.parse(z.looseObject({ template: z.looseObject({ spec: z.unknown() }) }).parse(spec).template.spec);
}
