import { describeMachine, loadBefore } from "./machine.js";
import { withOptions } from "./conversations/options.js";
import { describeAim, isMet } from "./report/aim.js";
import { writeReport } from "./report/write-report.js";
import { writeRow } from "./results.js";
import { missingFor, runScenario } from "./run-scenario.js";
import { scenarios } from "./scenarios.js";
import { objections } from "./validity.js";

/**
 * `npm run bench -- [--despite-load] [beginning of a scenario's name…]`: runs the scenarios so named, one after the
 * other. `conversations` takes options besides (`conversations/options.ts`). `npm run bench -- report` writes
 * `docs/benchmarks.md` anew from the rows.
 */
const despiteLoad = process.argv.includes("--despite-load");
const beginnings = process.argv.slice(2).filter((word) => !word.startsWith("--"));
if (beginnings[0] === "report") {
  for (const line of writeReport()) console.log(line);
  process.exit(0);
}
const chosen = scenarios
  .filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)))
  .map((scenario) => (scenario.kind === "conversations" ? withOptions(scenario, process.argv.slice(2)) : scenario));
if (chosen.length === 0) {
  console.log(
    `Say which scenarios, by the beginning of their names:\n${scenarios.map(({ name }) => `  ${name}`).join("\n")}`,
  );
  process.exit(2);
}

/** Without this much rest before a run the machine's load says nothing. */
const WATCH_MS = 3000;

let refused = 0;
for (const scenario of chosen) {
  console.log(`\n${scenario.name}`);
  const missing = missingFor(scenario);
  if (missing !== null) {
    console.log(`  not run: ${missing}`);
    refused++;
    continue;
  }
  const machine = describeMachine();
  // What happens in virtual time is the same whatever else the machine does.
  const before = scenario.kind === "simulated-load" ? [] : objections({ load: await loadBefore(WATCH_MS), errors: 0 });
  if (before.length > 0 && !despiteLoad) {
    console.log(`  not run: ${before.join("; ")} (--despite-load runs it, and marks it invalid)`);
    refused++;
    continue;
  }
  const startedAt = new Date().toISOString();
  const { figures, invalid: during, page, charts, aims } = await runScenario(scenario);
  const invalid = [...before, ...during];
  console.log(page);
  for (const one of aims) console.log(`${isMet(one) ? "met" : "MISSED"}: ${describeAim(one)}`);
  const commit = `commit ${machine.commit}${machine.changed ? " with changes" : ""}`;
  console.log(`${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}, ${commit}`);
  console.log(`load average before: ${machine.loadAverage.join(", ")}`);
  if (invalid.length > 0) console.log(`INVALID: ${invalid.join("; ")}`);
  console.log(`row added to ${writeRow({ scenario, startedAt, machine, invalid, figures, page, charts, aims })}`);
}
process.exit(refused > 0 ? 1 : 0);
