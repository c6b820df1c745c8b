import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const program = fileURLToPath(new URL("./probe.js", import.meta.url));
const PROBE_MS = 60_000;
const answer = z.object({ opened: z.string(), reason: z.string().nullable() });

/** Which execution provider the GPU is measured with, and why those before it were not. */
export interface ChosenProvider {
  provider: string | null;
  refused: { provider: string; reason: string }[];
}

/** The first provider of these that opens this graph. */
export function chooseProvider(graphPath: string, providers: readonly string[]): ChosenProvider {
  const refused: ChosenProvider["refused"] = [];
  for (const provider of providers) {
    const reason = refusalOf(graphPath, provider);
    if (reason === null) return { provider, refused };
    refused.push({ provider, reason });
  }
  return { provider: null, refused };
}

function refusalOf(graphPath: string, provider: string): string | null {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, graphPath, provider], {
    encoding: "utf8",
    timeout: PROBE_MS,
  });
  if (status !== 0) return `the process ended with ${signal ?? status}: ${stderr.trim().split("\n").at(-1) ?? ""}`;
  const { opened, reason } = answer.parse(JSON.parse(stdout));
  return opened === provider ? null : (reason ?? `${opened} was taken`);
}
