import { join } from "node:path";
import { findNodePackages, type NodePackages } from "../peers/node-packages.js";

/** `dist/bench/http-routes` → `bench/http-routes/peer`. */
export const peerFolder = join(import.meta.dirname, "../../../bench/http-routes/peer");

/** Finds autocannon and Fastify, or says in one line what is missing and how to install it. */
export function findHttpPackages(): NodePackages | { missing: string } {
  return findNodePackages({
    variable: "BENCH_PEERS_HTTP",
    name: "autocannon",
    manifestPath: join(peerFolder, "packages.json"),
    howTo:
      "mkdir ~/parley-http-peer && cp bench/http-routes/peer/packages.json ~/parley-http-peer/package.json && " +
      "(cd ~/parley-http-peer && npm install --ignore-scripts), then run with BENCH_PEERS_HTTP=~/parley-http-peer",
  });
}
