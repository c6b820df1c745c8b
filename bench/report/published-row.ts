import { z } from "zod";
import { aim } from "./aim.js";
import { chart } from "./chart.js";

/** A row of `bench/results`, as far as the page needs it; what it was asked and every figure stay in it. */
const publishedRow = z.looseObject({
  scenario: z.looseObject({ name: z.string() }),
  startedAt: z.iso.datetime(),
  machine: z.looseObject({
    processor: z.string(),
    cores: z.number(),
    node: z.string(),
    commit: z.string(),
    changed: z.boolean(),
  }),
  invalid: z.array(z.string()),
  page: z.string(),
  charts: z.array(chart).default([]),
  aims: z.array(aim).default([]),
});

export type PublishedRow = z.infer<typeof publishedRow>;

/** A row; null for one of an earlier release, which has no page. Throws for what is no JSON. */
export function parseRow(line: string): PublishedRow | null {
  const parsed = publishedRow.safeParse(JSON.parse(line));
  return parsed.success ? parsed.data : null;
}

/** The row that is published: the latest that may be quoted, the latest at all where none may; null of none. */
export function chooseRow(rows: readonly PublishedRow[]): PublishedRow | null {
  const valid = rows.filter(({ invalid, machine }) => invalid.length === 0 && !machine.changed);
  const latestFirst = (valid.length > 0 ? valid : rows).toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  return latestFirst[0] ?? null;
}
