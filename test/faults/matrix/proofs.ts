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
  proof: { kind: "scenario", servers: "own", fault, ends, boundMs },
});

/** A cell that it proves on a cluster whose servers stand behind proxies. */
export const onRemote = (promise: string, fault: Fault, { ends = "all-audio", boundMs }: ScenarioOptions): Cell => ({
  promise,
  proof: { kind: "scenario", servers: "remote", fault, ends, boundMs },
});

/** A cell that tests prove: pairs of a file and a name in it. */
export const byTests = (promise: string, ...tests: readonly (readonly [file: string, name: string])[]): Cell => ({
  promise,
  proof: { kind: "test", tests: tests.map(([file, name]) => ({ file, name })) },
});

/** A cell of which nothing is run. */
export const reasoned = (promise: string, why: string): Cell => ({ promise, proof: { kind: "reasoned", why } });
