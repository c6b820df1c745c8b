import { setFlagsFromString } from "node:v8";

/**
 * How much a heap may grow beyond what lived at its last whole collection before the next one, percent. V8 by itself
 * takes from 10 to 300, the less the slower a process uses memory.
 */
const GROWTH_PERCENT = 200;

/**
 * Has V8 collect the whole heap less often. For processes that audio passes through, at their start: its
 * buffers of audio count as part of a heap that holds little else, and those that live for a second are given back
 * by whole collections only. While files were transcribed an edge had six of them a second, which took a third of its
 * processor time, V8's helping threads included.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
