import { join } from "node:path";
import { findNodePackages, type NodePackages } from "../../peers/node-packages.js";

/** The folder in which `@livekit/agents` and its plugins lie. */
export type AgentsPeer = NodePackages;

/** `dist/bench/conversations/peer` → `bench/conversations/peer`. */
export const peerFolder = join(import.meta.dirname, "../../../../bench/conversations/peer");

/** Finds the peer, or says in one line what is missing and how to install it. */
export function findAgentsPeer(): AgentsPeer | { missing: string } {
  return findNodePackages({
    variable: "BENCH_PEERS_AGENTS",
    name: "@livekit/agents",
    manifestPath: join(peerFolder, "packages.json"),
    howTo:
      "mkdir ~/parley-agents-peer && cp bench/conversations/peer/packages.json ~/parley-agents-peer/package.json && " +
      "(cd ~/parley-agents-peer && npm install --ignore-scripts), then run with " +
      "BENCH_PEERS_AGENTS=~/parley-agents-peer, or with --no-peer",
  });
}
