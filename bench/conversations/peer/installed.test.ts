import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { findAgentsPeer } from "./installed.js";

const names = ["@livekit/agents", "@livekit/agents-plugin-openai", "@livekit/agents-plugin-silero"];

/** A folder with these packages, all of one version. */
function folderWith(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-peer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, own] of [
    ...names.map((name) => [name, version]),
    ["@livekit/rtc-node", "0.13.34"],
    ["zod", "4.1.8"],
  ]) {
    const place = join(folder, "node_modules", name ?? "");
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: own }));
  }
  vi.stubEnv("BENCH_PEERS_AGENTS", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

it("finds the peer in its pinned versions", () => {
  const folder = folderWith("1.9.0");
  expect(findAgentsPeer()).toMatchObject({ folder, versions: { "@livekit/agents": "1.9.0" } });
});

it("says which packages have other versions", () => {
  folderWith("1.8.0");
  expect(findAgentsPeer()).toMatchObject({
    missing: expect.stringContaining("@livekit/agents 1.9.0 (there is 1.8.0)"),
  });
});

it("says how to install it where nothing names it", () => {
  vi.stubEnv("BENCH_PEERS_AGENTS", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(findAgentsPeer()).toMatchObject({ missing: expect.stringContaining("packages.json") });
});
