import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The virtual environment in which the peers lie. */
export interface Peers {
  python: string;
  /** sherpa-onnx's own server. */
  sherpaServer: string;
  /** Versions by package. */
  versions: Record<string, string>;
}

/** Not `PARLEY_…`: those are settings of the product, which refuses the ones that it does not know. */
const VARIABLE = "BENCH_PEERS_PYTHON";

/** `dist/bench/peers` → `bench/peers`. */
export const peersFolder = join(import.meta.dirname, "../../../bench/peers");

const howTo =
  "python3 -m venv ~/parley-peers && ~/parley-peers/bin/pip install -r bench/peers/requirements.txt, then run with " +
  `${VARIABLE}=~/parley-peers/bin/python`;

/** Finds the peers, or says in one line what is missing and how to install it. */
export function findPeers(): Peers | { missing: string } {
  const python = process.env[VARIABLE];
  if (python === undefined || python === "") return { missing: `the peers are not installed: ${howTo}` };
  if (!existsSync(python)) return { missing: `${VARIABLE} names ${python}, which is not there: ${howTo}` };
  const wanted = pinned(readFileSync(join(peersFolder, "requirements.txt"), "utf8"));
  const versions = installedVersions(python, Object.keys(wanted));
  const wrong = Object.entries(wanted).filter(([name, version]) => versions[name] !== version);
  if (wrong.length > 0) {
    const list = wrong.map(([name, version]) => `${name} ${version} (there is ${versions[name] ?? "none"})`).join(", ");
    return { missing: `${VARIABLE} lacks ${list}: ${howTo}` };
  }
  return { python, sherpaServer: join(dirname(python), "sherpa-onnx-offline-websocket-server"), versions };
}

/** Versions by package in the lines of a requirements file. */
export function pinned(requirements: string): Record<string, string> {
  const lines = requirements.matchAll(/^([\w.-]+)(?:\[[^\]]*\])?==(\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", version = ""]) => [name, version]));
}

function installedVersions(python: string, names: readonly string[]): Record<string, string> {
  const program = [
    "import importlib.metadata as m, json, sys",
    "there = {d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}",
    "print(json.dumps({n: there[n] for n in sys.argv[1:] if n in there}))",
  ].join("\n");
  return JSON.parse(execFileSync(python, ["-c", program, ...names], { encoding: "utf8" })) as Record<string, string>;
}
