// `npm run image:dry`: replays the Dockerfile's steps in a clean folder, without a Docker engine, looks at what the
// image would contain, and starts every role from there as a container would.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { root } from "../structure/sources.js";
import { contentProblems, sizesIn } from "./contents.js";
import { readStages } from "./dockerfile.js";
import { replay } from "./replay.js";
import { tryRoles } from "./roles.js";

async function main(): Promise<number> {
  const directory = temporaryDirectory("image");
  try {
    const stages = new Map<string, string>();
    const all = readStages(readFileSync(join(root, "Dockerfile"), "utf8"));
    const wanted = ["build", "cpu"];
    for (const stage of all.filter(({ name }) => wanted.includes(name))) {
      process.stderr.write(`stage ${stage.name}, from ${stage.from}\n`);
      const folder = join(directory.path, stage.name);
      mkdirSync(folder, { recursive: true });
      replay(stage, folder, stages);
      stages.set(stage.name, folder);
    }
    rmSync(join(directory.path, "build"), { recursive: true, force: true });
    const app = join(directory.path, "cpu/app");
    for (const { name, mebibytes } of sizesIn(app)) console.log(`${mebibytes.toFixed(1).padStart(8)} MiB  ${name}`);
    const problems = contentProblems(app);
    for (const problem of problems) console.error(`image: ${problem}`);
    const cpu = all.find(({ name }) => name === "cpu");
    if (cpu === undefined) throw new Error("the Dockerfile has no stage cpu");
    const failures = await tryRoles(app, cpu);
    for (const failure of failures) console.error(`image: ${failure}`);
    console.log("Not replayed: the stage gpu, which fetches CUDA's provider, the base images, and the user's account.");
    return problems.length + failures.length === 0 ? 0 : 1;
  } finally {
    directory.remove();
  }
}

process.exitCode = await main();
