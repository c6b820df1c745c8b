import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { declaration } from "#common/config/config";
import { readSources, root } from "../structure/sources.js";

/** It names every setting, with the files that it takes some from. */
const DECLARATION = "common/config/config.ts";

/** Where the process of each role begins. */
const entryPoints: Readonly<Record<string, string>> = {
  edge: "edge/main.ts",
  scheduler: "scheduler/main.ts",
  worker: "workers/main.ts",
  "control-plane": "control-plane/main.ts",
  agent: "agents/main.ts",
};

/** Names of settings that pages and samples of the edge show to people: it does not read them. */
const shown: Readonly<Record<string, readonly string[]>> = { edge: ["PARLEY_API_KEY"] };

/** What configuration wants beside others, though the role itself does not read it (common/config/config.ts). */
const neededBeside: Readonly<Record<string, readonly string[]>> = { edge: ["LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"] };

/** In whose place the chart gives PARLEY_SPANS: an address with a password in it, to learn that there is a store. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  edge: ["CLICKHOUSE_URL"],
  scheduler: ["CLICKHOUSE_URL"],
  worker: ["CLICKHOUSE_URL"],
  agent: ["CLICKHOUSE_URL"],
};

/** The settings that each role gets, as the chart lists them. */
export const listedSettings = z
  .record(z.string(), z.array(z.string()))
  .parse(parse(readFileSync(join(root, "helm/parley/files/role-settings.yaml"), "utf8")));

/** The settings whose names stand in the code that each role loads: what it reads, as far as a text can tell. */
export function readSettings(): Record<string, string[]> {
  const byPath = new Map(readSources().map((source) => [source.path, source]));
  return Object.fromEntries(
    Object.entries(entryPoints).map(([role, entry]) => {
      const reached = new Set<string>();
      const ahead = [entry];
      for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
        if (reached.has(path) || path === DECLARATION) continue;
        reached.add(path);
        ahead.push(...(byPath.get(path)?.imports.files ?? []));
      }
      const code = [...reached].map((path) => byPath.get(path)?.text.replace(/\/\*[\s\S]*?\*\//g, "") ?? "").join("\n");
      const words = new Set(code.match(/\b[A-Z][A-Z0-9_]*\b/g));
      const found = Object.keys(declaration).filter((name) => words.has(name));
      const without = [...(shown[role] ?? []), ...(replaced[role] ?? [])];
      return [role, [...found.filter((name) => !without.includes(name)), ...(neededBeside[role] ?? [])].sort()];
    }),
  );
}
