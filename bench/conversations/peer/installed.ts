import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder in which `@livekit/agents` and its plugins lie. */
export interface AgentsPeer {
  folder: string;
  /** Versions by package. */
  versions: Record<string, string>;
}

/** Not `PARLEY_…`: those are settings of the product, which refuses the ones that it does not know. */
const VARIABLE = "BENCH_PEERS_AGENTS";

/** `dist/bench/conversations/peer` → `bench/conversations/peer`. */
export const peerFolder = join(import.meta.dirname, "../../../../bench/conversations/peer");

const howTo =
  "mkdir ~/parley-agents-peer && cp bench/conversations/peer/packages.json ~/parley-agents-peer/package.json && " +
  "(cd ~/parley-agents-peer && npm install --ignore-scripts), then run with " +
  `${VARIABLE}=~/parley-agents-peer, or with --no-peer`;

/** Finds the peer, or says in one line what is missing and how to install it. */
export function findAgentsPeer(): AgentsPeer | { missing: string } {
  const folder = process.env[VARIABLE];
  if (folder === undefined || folder === "") return { missing: `@livekit/agents is not installed: ${howTo}` };
  const wanted = dependenciesIn(readFileSync(join(peerFolder, "packages.json"), "utf8"));
  const versions = Object.fromEntries(
    Object.keys(wanted).flatMap((name) => {
      const version = installedVersion(folder, name);
      return version === null ? [] : [[name, version]];
    }),
  );
  const wrong = Object.entries(wanted).filter(([name, version]) => versions[name] !== version);
  if (wrong.length === 0) return { folder, versions };
  const list = wrong.map(([name, version]) => `${name} ${version} (there is ${versions[name] ?? "none"})`).join(", ");
  return { missing: `${VARIABLE} lacks ${list}: ${howTo}` };
}

function dependenciesIn(manifest: string): Record<string, string> {
  return (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies;
}

function installedVersion(folder: string, name: string): string | null {
  const path = join(folder, "node_modules", name, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : null;
}
