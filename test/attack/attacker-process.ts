import { randomFrom } from "../faults/control-plane/known.js";
import type { Attack, Target } from "./attack.js";
import { attacks } from "./attacks.js";

/** What one attacker is to do, as JSON in its first argument. */
export interface AttackerTask extends Omit<Target, "random"> {
  attacks: string[];
  seed: number;
}

/*
 * The program of an attacker: goes on until its standard input ends. A process of its own, so that the clients beside
 * it, in the test's process, are not slowed down by it.
 */
const task = JSON.parse(process.argv[2] ?? "") as AttackerTask;
const stop = new AbortController();
process.stdin.once("end", () => stop.abort());
process.stdin.resume();
const chosen = task.attacks.map((name): Attack => {
  const attack = attacks.find((candidate) => candidate.name === name);
  if (attack === undefined) throw new RangeError(`no attack is named ${name}`);
  return attack;
});
await Promise.all(
  chosen.map((attack, index) => attack.run({ ...task, random: randomFrom(task.seed + index) }, stop.signal)),
);
process.exit(0);
