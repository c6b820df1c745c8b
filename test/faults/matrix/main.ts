import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cells, rows } from "./matrix.js";
import { reliabilityPage } from "./reliability-page.js";
import { isScenario, runCells } from "./run-cells.js";
import { addRun, readRuns, type Run } from "./runs.js";
import { readSoakRuns } from "../../soak/runs.js";
import { settings } from "./setting.js";
import { canStepClock, STEPPED_CLOCK_MISSING } from "./stepped-clock.js";

/*
 * `npm run faults`: every cell of the fault matrix that a program proves by itself, on clusters of real processes.
 *
 *     npm run faults -- --only worker-kill,nats-partition/connect
 *     npm run faults -- list
 *     npm run faults -- report        writes docs/reliability.md from the runs so far
 */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const [command] = positionals;

if (command === "report") {
  const page = join(import.meta.dirname, "../../../../docs/reliability.md");
  writeFileSync(page, reliabilityPage(rows, cells, { runs: readRuns(), soaks: readSoakRuns() }));
  console.log(`docs/reliability.md is written`);
} else if (command === "list") {
  for (const { id, proof, promise } of cells) console.log(`${proof.kind.padEnd(8)}  ${id.padEnd(34)}  ${promise}`);
} else {
  // Node.js 20 was seen to spin for minutes in its own cleaning up of handles, after every cell was over.
  process.exit(await run());
}

/** Gives the exit code. */
async function run(): Promise<number> {
  const only = values.only?.split(",");
  const chosen = cells
    .filter(isScenario)
    .filter(({ id }) => only === undefined || only.some((beginning) => id.startsWith(beginning)));
  if (chosen.length === 0) {
    console.error("no cell that is run has such a name; npm run faults -- list");
    return 2;
  }
  const startedAt = new Date();
  const results: Run["results"] = {};
  try {
    for (const setting of settings) {
      const ofCluster = chosen.filter(({ proof }) => proof.under === setting);
      if (ofCluster.length === 0) continue;
      if (setting === "stepped" && !canStepClock()) {
        for (const { id } of ofCluster) console.log(`LEFT OUT ${id}: ${STEPPED_CLOCK_MISSING}`);
        continue;
      }
      console.log(`${ofCluster.length} cells on a cluster: ${setting}`);
      await runCells(setting, ofCluster, (id, result) => {
        results[id] = result;
        console.log(`${id}: ${JSON.stringify(result)}`);
      });
    }
  } finally {
    // What was seen counts, whatever comes after it.
    if (Object.keys(results).length > 0) console.log(`a row is added to ${addRun(startedAt, results)}`);
  }
  const broken = Object.entries(results).filter(([, { violations }]) => violations.length > 0);
  console.log(`\n${Object.keys(results).length - broken.length} of ${Object.keys(results).length} cells hold`);
  for (const [id, { violations }] of broken) console.log(`BROKEN ${id}: ${violations.join("; ")}`);
  return broken.length > 0 ? 1 : 0;
}
