import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.js";
import type { Aim } from "./report/aim.js";
import type { Chart } from "./report/chart.js";
import type { Scenario } from "./scenarios.js";

/** One run of one scenario. */
export interface Row {
  scenario: Scenario;
  startedAt: string;
  machine: Machine;
  /** Why the figures must not be used; empty when they may. */
  invalid: string[];
  figures: object;
  /** The figures as they are read. */
  page: string;
  charts: Chart[];
  aims: Aim[];
}

/** `dist/bench` → `bench/results`: rows outlive a build. */
export const resultsDirectory = join(import.meta.dirname, "../../bench/results");

/** Pictures that the page shows. */
export const picturesDirectory = join(import.meta.dirname, "../../docs/benchmarks");

/** Adds a row to the scenario's file; gives its path. */
export function writeRow(row: Row): string {
  mkdirSync(resultsDirectory, { recursive: true });
  const path = join(resultsDirectory, `${row.scenario.name}.jsonl`);
  appendFileSync(path, `${JSON.stringify(row)}\n`);
  return path;
}

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function table(head: readonly string[], lines: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...lines.map((line) => line.map((cell) => (typeof cell === "number" ? figure(cell) : cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

/** Three significant places are more than a run can repeat. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
