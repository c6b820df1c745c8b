import type { UsageLine } from "#protocol/usage";

/** What the use is told apart by. */
export const groupings = { day: "Day", model: "Model", key: "Key", agent: "Agent" } as const;
export type Grouping = keyof typeof groupings;

/** Which use is shown: an address's query. */
export interface UsageFilters {
  by?: Grouping;
  /** Days, UTC, both included. */
  from?: string;
  to?: string;
}

const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));

/** What of an address's query says which use is shown. */
export function usageFiltersOf({ by, from, to }: Record<string, unknown>): UsageFilters {
  return {
    ...(typeof by === "string" && Object.hasOwn(groupings, by) ? { by: by as Grouping } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}

/** The request for it. The server chooses the last 30 days where none are asked for. */
export function usageReportPath({ by = "day", from, to }: UsageFilters): string {
  const query = new URLSearchParams({ group_by: by });
  if (from !== undefined) query.set("start", from);
  if (to !== undefined) query.set("end", to);
  return `/v1/usage?${query}`;
}

/** What a line of the report is about, as far as the report itself says. */
export function subjectOf(line: UsageLine, by: Grouping): string {
  const subject = { day: line.day, model: line.model, key: line.key_id, agent: line.agent_id }[by] ?? "";
  return subject === "" ? (by === "agent" ? "outside of conversations" : "–") : subject;
}
