/** Which calls are listed; what is absent matters not. */
export interface CallFilters {
  agent_id?: string;
  status?: string;
  direction?: string;
  /** A day in the reader's time zone, YYYY-MM-DD, both included. */
  from?: string;
  to?: string;
}

/** The server knows which words there are: what it refuses is shown as such. */
const isWord = (text: string): boolean => /^[a-z_]+$/.test(text);
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** What of an address's query is a filter; the rest is left out. */
export function filtersOf(search: Record<string, unknown>): CallFilters {
  const text = (name: string, isGood: (value: string) => boolean): object => {
    const value = search[name];
    return typeof value === "string" && isGood(value) ? { [name]: value } : {};
  };
  return {
    ...text("agent_id", (value) => value !== ""),
    ...text("status", isWord),
    ...text("direction", isWord),
    ...text("from", isDay),
    ...text("to", isDay),
  };
}

/** The request for the first page of the calls that pass the filters. */
export function callsPath(filters: CallFilters): string {
  const query = new URLSearchParams();
  const { from, to, ...others } = filters;
  for (const [name, value] of Object.entries(others)) if (value !== undefined) query.set(name, String(value));
  if (from !== undefined) query.set("created_after", startOf(from, 0));
  if (to !== undefined) query.set("created_before", startOf(to, 1));
  return `/v1/agent/sessions?${query}`;
}

/** The first moment of a day in the reader's time zone, so many days later. */
function startOf(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}
