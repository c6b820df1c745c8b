import type { Scenario } from "../simulation/scenario.js";
import { simulate } from "../simulation/simulation.js";
import { serveTask } from "../task-process.js";
import { simulatedLine, type SimulatedLine } from "./figures.js";

/** One simulated cluster and its load. */
export interface SimulationTask {
  scenario: Scenario;
  multiple: number;
  fromMs: number;
  toMs: number;
}

// One simulation, a process of its own: a million streams need more memory than Node.js gives itself.
serveTask((task: SimulationTask): Promise<SimulatedLine> => {
  const before = process.cpuUsage();
  const outcome = simulate(task.scenario);
  const { user, system } = process.cpuUsage(before);
  return Promise.resolve(simulatedLine(outcome, { ...task, processorSeconds: (user + system) / 1e6 }));
});
