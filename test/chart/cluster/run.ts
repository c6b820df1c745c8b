// `npm run test:chart`: the chart in a real API server with its controllers and scheduler, on nodes that run nothing.
import { temporaryDirectory } from "../../harness/temporary-directory.js";
import { checkDisruptions } from "./disruptions.js";
import { checkInstall } from "./install.js";
import { checkNeighbours, checkPriority, checkUninstall } from "./life-cycle.js";
import { checkProduction } from "./production.js";
import { Report } from "./report.js";
import { checkRollouts } from "./rollouts.js";
import { checkScaling } from "./scaling.js";
import { startCluster, type TestCluster } from "./test-cluster.js";
import { checkValueSets } from "./value-sets.js";

/** In this order: each begins with what the one before it left. */
const scenarios: readonly ((cluster: TestCluster, report: Report) => Promise<void>)[] = [
  checkInstall,
  checkDisruptions,
  checkRollouts,
  checkNeighbours,
  checkUninstall,
  checkPriority,
  checkScaling,
  checkProduction,
  checkValueSets,
];

async function main(): Promise<number> {
  const directory = temporaryDirectory("kubernetes");
  const report = new Report();
  const cluster = await startCluster(directory.path);
  try {
    report.check(true, "the cluster is there");
    for (const scenario of scenarios) await scenario(cluster, report);
  } catch (error) {
    report.check(false, "everything was looked at", error instanceof Error ? (error.stack ?? "") : String(error));
  } finally {
    await cluster.stop();
  }
  const { checks, failures } = report;
  if (failures.length === 0) directory.remove();
  else console.error(`chart: the servers' logs are in ${directory.path}`);
  console.log(`${checks - failures.length} of ${checks} hold`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
