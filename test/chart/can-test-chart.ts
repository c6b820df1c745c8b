import { inCi } from "../harness/livekit.js";
import { canBuild, chartPrograms, isBuilt } from "./programs.js";

/**
 * Whether this machine has the programs that render and check the chart, or can build them. CI must: there these tests
 * fail, and are not left out.
 */
export const canTestChart = inCi || canBuild() || [chartPrograms.helm, chartPrograms.kubeconform].every(isBuilt);

if (!canTestChart)
  console.warn("\n!!! helm is not built and Go is not installed: the tests of the chart DO NOT RUN. !!!\n");
