import type { StartBeside } from "./beside.js";
import type { Cell, Ends } from "./cell.js";
import type { Fault } from "./fault.js";

/** How the cells of the matrix are written down. */
interface ScenarioOptions {
  /** All audio when absent. */
  ends?: Ends;
  boundMs: number;
}

/** A cell that `npm run faults` proves on a cluster with servers of its own. */
export const onOwn = (promise: string, fault: Fault, { ends = "all-audio", boundMs }: ScenarioOptions): Cell => ({
  promise,
  proof: { kind: "scenario", under: "own", fault, ends, boundMs },
});

/** A cell that it proves on a cluster whose servers stand behind proxies. */
export const onRemote = (promise: string, fault: Fault, { ends = "all-audio", boundMs }: ScenarioOptions): Cell => ({
  promise,
  proof: { kind: "scenario", under: "remote", fault, ends, boundMs },
});

/** A cell that it proves on a cluster that transcribes too, under constant load. */
export const underLoad = (
  promise: string,
  fault: Fault,
  { boundMs, beside }: { boundMs: number; beside: StartBeside },
): Cell => ({ promise, proof: { kind: "scenario", under: "listening", fault, beside, ends: "all-audio", boundMs } });

/** A cell that it proves on a cluster whose clock is set, where libfaketime is installed. */
export const onStepped = (
  promise: string,
  fault: Fault,
  { boundMs, beside }: { boundMs: number; beside: StartBeside },
): Cell => ({ promise, proof: { kind: "scenario", under: "stepped", fault, beside, ends: "all-audio", boundMs } });

/** A cell that tests prove: pairs of a file and a name in it. */
export const byTests = (promise: string, ...tests: readonly (readonly [file: string, name: string])[]): Cell => ({
  promise,
  proof: { kind: "test", tests: tests.map(([file, name]) => ({ file, name })) },
});

/** A cell of which nothing is run. */
export const reasoned = (promise: string, why: string): Cell => ({ promise, proof: { kind: "reasoned", why } });
