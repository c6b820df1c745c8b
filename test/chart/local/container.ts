import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Container, Manifest, PodSpec } from "../render.js";

/** What a pod's process is started with on this machine. */
export interface LocalProcess {
  command: string[];
  environment: Record<string, string>;
}

export interface ContainerOptions {
  manifests: readonly Manifest[];
  podName: string;
  /** The pod's address: one of loopback, of its own. */
  ip: string;
  /** A folder that stands for the pod's file system. */
  directory: string;
  /** Programs of images that have no command of their own: what an image starts, and what it needs to stay on `ip`. */
  program: (image: string) => { command: string; args: readonly string[] } | null;
  /** Changes names of services to addresses of this machine. */
  resolveNames: (text: string) => string;
}

/**
 * A container's command and environment as a process of this machine: Secrets and ConfigMaps are those of the release,
 * folders that are mounted lie in `directory`, and what listens everywhere listens at the pod's address.
 */
export function localProcess(pods: PodSpec, container: Container, options: ContainerOptions): LocalProcess {
  const { manifests, podName, ip, directory, resolveNames } = options;
  const folders = mountFolders(pods, container, options);
  const local = (text: string): string => {
    const named = resolveNames(text).replaceAll("0.0.0.0", ip);
    return folders.reduce(
      (path, [from, to]) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path),
      named,
    );
  };
  const environment: Record<string, string> = { HOME: directory, PATH: process.env.PATH ?? "" };
  for (const { name, value, valueFrom } of container.env) {
    const secret = valueFrom?.secretKeyRef;
    const given =
      value ??
      (valueFrom?.fieldRef?.fieldPath === "metadata.name" ? podName : undefined) ??
      (secret === undefined ? undefined : secretOf(manifests, secret.name, secret.key));
    if (given !== undefined) environment[name] = local(given);
    else if (secret?.optional !== true) throw new Error(`${podName}: nothing gives ${name}`);
  }
  const program = options.program(container.image);
  const words = container.command ?? (program === null ? [] : [program.command]);
  const args = [...words, ...(container.args ?? []), ...(program?.args ?? [])].map((word) =>
    local(word.replace(/\$\((\w+)\)/g, (_, name: string) => environment[name] ?? "")),
  );
  return { command: args, environment };
}

function secretOf(manifests: readonly Manifest[], name: string, key: string): string | undefined {
  return manifests.find((object) => object.kind === "Secret" && object.metadata.name === name)?.stringData?.[key];
}

/** Makes the folders that a container mounts, with the files of ConfigMaps in them: pairs of path and folder. */
function mountFolders(pods: PodSpec, container: Container, options: ContainerOptions): [string, string][] {
  const { manifests, ip, directory, resolveNames } = options;
  return container.volumeMounts.map(({ name, mountPath }) => {
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    const volume = pods.volumes.find((candidate) => candidate.name === name) as
      | { configMap?: { name: string } }
      | undefined;
    const map = manifests.find(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === volume?.configMap?.name,
    );
    for (const [file, text] of Object.entries(map?.data ?? {})) {
      const dataFolder = join(directory, "data");
      writeFileSync(
        join(folder, file),
        resolveNames(text).replaceAll("0.0.0.0", ip).replaceAll("store_dir: /data", `store_dir: ${dataFolder}`),
      );
    }
    return [mountPath, folder];
  });
}
