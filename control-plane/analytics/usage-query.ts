import { validate } from "#common/http/validation";
import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { type UsageDimension, usageDimensions, usageQuery } from "#protocol/usage";
import { queryRecord } from "../http/query.js";

/** Lines of one answer at most. */
export const MAX_USAGE_LINES = 10_000;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const EARLIEST_DAY_MS = Date.parse("0000-01-01");
/** No usage lies outside of these; ClickHouse's DateTime64 reaches from 1900 to 2299, and Postgres knows no year 0. */
const FIRST_INSTANT_MS = 0;
const LAST_INSTANT_MS = Date.parse("2200-01-01");

/** A question about usage, checked. */
export interface UsageQuery {
  teamId: string;
  /** First and last day, `YYYY-MM-DD`, UTC; both count. */
  start: string;
  end: string;
  groupBy: UsageDimension[];
}

/** What one line of the answer sums up; whole numbers below 2^53. */
export interface UsageSums {
  day?: string;
  model?: string;
  key?: string;
  agent?: string;
  requests: number;
  failed: number;
  partial: number;
  characters: number;
  audioMs: number;
  conversationMs: number;
  costMicros: number;
}

/** Reads the query of `/v1/usage`: the last 30 days by day when it says nothing. Throws `validation`. */
export function readUsageQuery(teamId: string, query: URLSearchParams, now: Date): UsageQuery {
  const asked = validate(usageQuery, queryRecord(query, []), ["query"]);
  const end = asked.end ?? dayOf(now.getTime());
  const start = asked.start ?? dayOf(Math.max(EARLIEST_DAY_MS, Date.parse(end) - (DEFAULT_DAYS - 1) * DAY_MS));
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
  if (days < 1) throw refusal("start", "Input should not be after end");
  if (days > limits.usageDays.most)
    throw refusal("start", `Input should be at most ${limits.usageDays.most} days before end`);
  const wanted = asked.group_by ?? ["day"];
  return { teamId, start, end, groupBy: usageDimensions.filter((dimension) => wanted.includes(dimension)) };
}

/**
 * The instants that the question is about: from the first until just before the second. Days on which nobody can have
 * used anything are left out, since an engine's calendar may not reach them: where all are such, the interval is empty.
 */
export function intervalOf(query: Pick<UsageQuery, "start" | "end">): { from: Date; until: Date } {
  const within = (epochMs: number): Date => new Date(Math.min(LAST_INSTANT_MS, Math.max(FIRST_INSTANT_MS, epochMs)));
  return { from: within(Date.parse(query.start)), until: within(Date.parse(query.end) + DAY_MS) };
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

function refusal(field: string, msg: string): ServiceError {
  return new ServiceError("validation", { problems: [{ type: "value_error", loc: ["query", field], msg }] });
}
