import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { scenarios } from "../scenarios.js";
import { atLeast, atMost, isMet } from "./aim.js";
import { scenariosOf, withRows } from "./page-blocks.js";
import { chooseRow, parseRow, type PublishedRow } from "./published-row.js";
import { pagePath, publishedRowOf } from "./write-report.js";

const row = (
  startedAt: string,
  change: { invalid?: string[]; changed?: boolean; page?: string } = {},
): PublishedRow => {
  const { invalid = [], changed = false, page = "first audio  20 < 30" } = change;
  return {
    ...{ scenario: { name: "quick" }, startedAt, invalid, page, charts: [], aims: [] },
    machine: { processor: "AMD EPYC", cores: 2, node: "v20.20.2", commit: "abc1234", changed },
  };
};

describe("the row that is published", () => {
  it("is the latest that may be quoted", () => {
    const rows = [
      row("2026-11-20T00:00:00.000Z"),
      row("2026-11-21T00:00:00.000Z"),
      row("2026-11-22T00:00:00.000Z", { invalid: ["others used 1.00 cores"] }),
      row("2026-11-23T00:00:00.000Z", { changed: true }),
    ];
    expect(chooseRow(rows)?.startedAt).toBe("2026-11-21T00:00:00.000Z");
    expect(chooseRow(rows.slice(2))?.startedAt).toBe("2026-11-23T00:00:00.000Z");
    expect(chooseRow([])).toBeNull();
  });

  it("is none of a release that wrote no pages", () => {
    const { page: _, ...earlier } = row("2026-11-20T00:00:00.000Z");
    expect(parseRow(JSON.stringify(earlier))).toBeNull();
    expect(parseRow(JSON.stringify(row("2026-11-20T00:00:00.000Z")))).toMatchObject({ page: "first audio  20 < 30" });
  });
});

describe("the page", () => {
  const empty = "before\n<!-- bench quick -->\n<!-- /bench -->\nafter\n<!-- bench slow -->\nold\n<!-- /bench -->\n";

  it("has each row where its block is, and says which may not be quoted", () => {
    const rowOf = (name: string): PublishedRow | null =>
      name === "quick" ? row("2026-11-21T12:00:00.000Z", { invalid: ["2 errors"] }) : null;
    const page = withRows(empty, rowOf);
    expect(scenariosOf(page)).toEqual(["quick", "slow"]);
    expect(page).toContain("`npm run bench -- quick`, commit abc1234, 21 November 2026, AMD EPYC, 2 cores");
    expect(page).toContain("**Invalid**: 2 errors.");
    expect(page).toContain("first audio  20 ‹ 30");
    expect(page).toContain("after\n<!-- bench slow -->\nNot measured.\n<!-- /bench -->");
    expect(withRows(page, rowOf)).toBe(page);
  });

  it("shows a row's charts below its figures", () => {
    const one = { name: "good", title: "Good streams", x: "load", y: "streams", series: [] };
    const page = withRows(empty, () => ({ ...row("2026-11-21T12:00:00.000Z"), charts: [one] }));
    expect(page).toContain("```\n\n![Good streams](benchmarks/quick-good.svg)\n<!-- /bench -->");
    expect(scenariosOf(page)).toEqual(["quick", "slow"]);
  });

  it("has a table of everything that is aimed at, met or not", () => {
    const aims = [atMost("plumbing, ms", 2.346, 2), atLeast("streams", 150, 140), atMost("gaps", Number.NaN, 0)];
    const rowOf = (name: string): PublishedRow | null =>
      name === "quick" ? { ...row("2026-11-21T12:00:00.000Z"), aims } : null;
    const page = withRows(`<!-- aims -->\n<!-- /aims -->\n${empty}`, rowOf);
    expect(page).toContain("| plumbing, ms | 2.35 | at most 2 | **missed** | [quick](#quick) |\n");
    expect(page).toContain("| streams | 150 | at least 140 | met | [quick](#quick) |\n");
    expect(page).toContain("| gaps | – | at most 0 | **missed** | [quick](#quick) |\n");
    expect(withRows(page, rowOf)).toBe(page);
    expect(aims.map(isMet)).toEqual([false, true, false]);
  });

  it("is as `npm run bench -- report` would write it, and has every scenario", () => {
    const page = readFileSync(pagePath, "utf8");
    expect(withRows(page, publishedRowOf)).toBe(page);
    expect(scenariosOf(page).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
  });
});
