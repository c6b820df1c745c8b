import { printable } from "./report.js";
import { cityAtEvening, crowdedVillage, type Scenario, twiceTooMany, village } from "./scenario.js";
import { simulate } from "./simulation.js";

/** `node dist/bench/simulation/main.js [scenario name…]`: runs the scenarios, the two large ones when none is named. */
const known: readonly Scenario[] = [cityAtEvening, twiceTooMany, village, crowdedVillage];
const names = process.argv.slice(2);
const chosen =
  names.length === 0 ? [cityAtEvening, twiceTooMany] : known.filter((scenario) => names.includes(scenario.name));

for (const scenario of chosen) {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const outcome = simulate(scenario);
  const used = process.cpuUsage(before);
  const took = { wallSeconds: (performance.now() - startMs) / 1000, processorSeconds: (used.user + used.system) / 1e6 };
  process.stdout.write(`${printable(outcome, took)}\n`);
}
