import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultsDirectory } from "../results.js";
import { drawChart } from "./chart.js";
import { chartFile, scenariosOf, withRows } from "./page-blocks.js";
import { chooseRow, parseRow, type PublishedRow } from "./published-row.js";

/** `dist/bench/report` → the repository. */
const root = join(import.meta.dirname, "../../..");
/** The page, and the rows that it was written from. */
export const pagePath = join(root, "docs/benchmarks.md");
const rowsDirectory = join(root, "docs/benchmarks");

const pathOf = (scenario: string): string => join(rowsDirectory, `${scenario}.json`);

/** The row that the page quotes; null where a scenario was never published. */
export function publishedRowOf(scenario: string): PublishedRow | null {
  return existsSync(pathOf(scenario)) ? parseRow(readFileSync(pathOf(scenario), "utf8")) : null;
}

/**
 * Publishes the rows that were measured here since, and writes the page anew; gives a line for each scenario. An
 * invalid row takes the place of a valid one only where the valid one's file is removed first.
 */
export function writeReport(): string[] {
  const page = readFileSync(pagePath, "utf8");
  mkdirSync(rowsDirectory, { recursive: true });
  const lines = scenariosOf(page).map((scenario) => {
    const published = publishedRowOf(scenario);
    const row = chooseRow([...measuredHere(scenario), ...(published === null ? [] : [published])]);
    if (row === null) return `${scenario}: not measured`;
    writeFileSync(pathOf(scenario), `${JSON.stringify(row)}\n`);
    for (const one of row.charts) writeFileSync(join(rowsDirectory, chartFile(scenario, one)), drawChart(one));
    return `${scenario}: ${row.startedAt}, commit ${row.machine.commit}${row.invalid.length > 0 ? ", INVALID" : ""}`;
  });
  writeFileSync(pagePath, withRows(page, publishedRowOf));
  return lines;
}

function measuredHere(scenario: string): PublishedRow[] {
  const path = join(resultsDirectory, `${scenario}.jsonl`);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => parseRow(line) ?? []);
}
