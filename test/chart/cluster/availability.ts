import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What the fewest available pods of each Deployment were, by its name, while something was done. */
export type Fewest = ReadonlyMap<string, number>;

/**
 * Follows the Deployments of a namespace while `work` runs. The server reports every change of their status, so that no
 * moment is missed.
 */
export async function fewestAvailable(
  watch: { command: string; args: readonly string[] },
  work: () => Promise<void>,
): Promise<Fewest> {
  const fewest = new Map<string, number>();
  const child = spawn(watch.command, [...watch.args], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const hasBegun = once(lines, "line");
  lines.on("line", (line) => {
    const [name = "", available = ""] = line.trim().split(/\s+/);
    const count = Number(available) || 0;
    fewest.set(name, Math.min(count, fewest.get(name) ?? count));
  });
  try {
    await hasBegun;
    await work();
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  return fewest;
}
