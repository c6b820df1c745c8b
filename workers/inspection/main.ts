import { inspectionRequest } from "#protocol/models/inspection";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { inspectModels } from "./inspect.js";

/**
 * Looks at model folders in a process of its own, which a graph may bring down without harm: `node main.js REQUEST`, a
 * line of JSON for each.
 */
const request = inspectionRequest.parse(JSON.parse(process.argv[2] ?? ""));
for await (const report of inspectModels(request, { log: createLogger("inspection", "silent"), clock: systemClock })) {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
