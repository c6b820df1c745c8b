import { type Aim, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { MemoryFigures, NamedMemory } from "./run.js";

const sumOf = (atRest: readonly NamedMemory[], pick: (one: NamedMemory) => number): number =>
  atRest.reduce((sum, one) => sum + pick(one), 0);

/** The figures as a page of text. */
export function printMemory({ atRest, edge, statuses }: MemoryFigures): string {
  const rows = atRest.map(({ name, processes, residentMb, proportionalMb }) => [
    name,
    processes,
    Math.round(residentMb),
    Math.round(proportionalMb),
  ]);
  const all = [
    "all",
    sumOf(atRest, ({ processes }) => processes),
    Math.round(sumOf(atRest, ({ residentMb }) => residentMb)),
    Math.round(sumOf(atRest, ({ proportionalMb }) => proportionalMb)),
  ];
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    table(["MB at rest", "processes", "resident", "shared pages divided"], [...rows, all]),
    `the edge before bad recordings: ${edge.beforeMb.toFixed(0)} MB, at the most: ${edge.mostMb.toFixed(0)} MB (answers: ${answers.join(", ")})`,
  ].join("\n");
}

/** What the service is held to. */
export function memoryAims({ atRest, edge }: MemoryFigures): Aim[] {
  return [
    atMost(
      "resident memory of npm start at rest, MB",
      sumOf(atRest, ({ residentMb }) => residentMb),
      700,
    ),
    atMost("the edge's most memory while it refuses 240 bad recordings, MB", edge.mostMb, 300),
  ];
}
