import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folders = {
  edge: "edge",
  scheduler: "scheduler",
  workers: "worker",
  "control-plane": "control-plane",
  agents: "agent",
};

const idle = "async (context) => ({ drain: async () => {}, stop: async () => {}, facts: { id: context.id } })";

/**
 * Fills `directory` with folders like the product's `dist/`, each with a role that lives and ends as roles do and does
 * nothing, so that the launcher can be tested by itself. `bodies` replaces the start function of some, by folder. Gives
 * `directory`.
 */
export function fakeRoles(directory: string, bodies: Partial<Record<string, string>> = {}): string {
  const library = pathToFileURL(join(import.meta.dirname, "../../common/lifecycle/role.js")).href;
  for (const [folder, role] of Object.entries(folders)) {
    mkdirSync(join(directory, folder), { recursive: true });
    const start = bodies[folder] ?? idle;
    writeFileSync(
      join(directory, folder, "main.js"),
      `import { runRole } from ${JSON.stringify(library)};\nrunRole(${JSON.stringify(role)}, ${start});\n`,
    );
  }
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  return directory;
}
