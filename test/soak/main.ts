import { parseArgs } from "node:util";
import { addSoakRun } from "./runs.js";
import { runSoak } from "./soak.js";

/*
 * `npm run soak`: all kinds of load at once with a fault every 20 s, for three minutes or for longer.
 *
 *     npm run soak -- --minutes 30
 *
 * A run of half an hour and more is kept, and is what docs/reliability.md says of it (`npm run faults -- report`).
 */

const { values } = parseArgs({ options: { minutes: { type: "string", default: "3" } } });
const minutes = Number(values.minutes);
const startedAt = new Date();
const result = await runSoak(minutes, (line) => console.log(line));
const { length } = result.problems;
console.log(length === 0 ? "nothing was lost, and nothing grew" : `${length} problems`);
const kept = addSoakRun(startedAt, { minutes, ...result });
if (kept !== null) console.log(`a row is added to ${kept}`);
process.exitCode = length === 0 ? 0 : 1;
