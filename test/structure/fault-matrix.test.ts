import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cells, rows } from "../faults/matrix/matrix.js";
import { reliabilityPage } from "../faults/matrix/reliability-page.js";
import { readRuns } from "../faults/matrix/runs.js";
import { readSoakRuns } from "../soak/runs.js";
import { root } from "./sources.js";

describe("the fault matrix", () => {
  it("has at least 27 rows, each cell by a name of its own, and 70 that programs prove", () => {
    expect(rows.length).toBeGreaterThanOrEqual(27);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(rows.length * 4);
    expect(cells.filter(({ proof }) => proof.kind !== "reasoned").length).toBeGreaterThanOrEqual(70);
  });

  it("names tests that exist", () => {
    const lost = cells.flatMap(({ id, proof }) =>
      (proof.kind === "test" ? proof.tests : [])
        .filter(({ file, name }) => !readFileSync(join(root, file), "utf8").includes(name))
        .map(({ file, name }) => `${id}: ${file} has no "${name}"`),
    );
    expect(lost).toEqual([]);
  });

  it("is on the page as `npm run faults -- report` would write it", () => {
    const page = readFileSync(join(root, "docs/reliability.md"), "utf8");
    expect(page).toBe(reliabilityPage(rows, cells, { runs: readRuns(), soaks: readSoakRuns() }));
  });
});
