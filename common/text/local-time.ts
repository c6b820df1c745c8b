/** Making a formatter takes milliseconds, and every request needs one: the zones of late are remembered. */
const remembered = new Map<string, Intl.DateTimeFormat>();
const MAX_REMEMBERED = 64;

/** The zone of this name, or UTC where it is empty or unknown here: zones come and go with the versions of ICU. */
export function zoneOf(timezone: string): string {
  return formatOf(timezone).resolvedOptions().timeZone === "UTC" ? "UTC" : timezone;
}

/** The date in a zone, as `2026-11-22`. */
export function dateIn(timezone: string, now: Date): string {
  const { year, month, day } = partsIn(timezone, now);
  return `${year}-${month}-${day}`;
}

/** Date, weekday and time in a zone, in English: `Sunday, 2026-11-22, 20:17`. */
export function describeTime(timezone: string, now: Date): string {
  const { weekday, year, month, day, hour, minute } = partsIn(timezone, now);
  return `${weekday}, ${year}-${month}-${day}, ${hour}:${minute}`;
}

function partsIn(timezone: string, now: Date): Readonly<Record<string, string>> {
  return Object.fromEntries(
    formatOf(timezone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = remembered.get(timezone);
  if (known !== undefined) return known;
  const format = makeFormat(timezone);
  const [oldest] = remembered.keys();
  if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  remembered.set(timezone, format);
  return format;
}

function makeFormat(timezone: string): Intl.DateTimeFormat {
  const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const options = { ...fields, weekday: "long", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: timezone === "" ? "UTC" : timezone });
  } catch {
    // RangeError is how Intl says that it knows no such zone
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  }
}
