import type { UsageLine } from "#protocol/usage";

/** Days that the chart shows, today included. */
const DAYS = 14;
const DAY_MS = 86_400_000;

const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

/** The path that gives each day's use until today, UTC. */
export function usagePath(nowMs: number): string {
  return `/v1/usage?start=${dayOf(nowMs - (DAYS - 1) * DAY_MS)}&end=${dayOf(nowMs)}&group_by=day`;
}

/** A day without any use, as the report would have it. */
const nothingOn = (day: string): UsageLine & { day: string } => ({
  day,
  requests: 0,
  failed_requests: 0,
  partial_requests: 0,
  characters: 0,
  audio_seconds: 0,
  conversation_seconds: 0,
  cost: "0",
});

/** Every day of the chart, the oldest first; the report leaves out those on which nothing was used. */
export function everyDay(lines: readonly UsageLine[], nowMs: number): (UsageLine & { day: string })[] {
  const days = Array.from({ length: DAYS }, (_, index) => dayOf(nowMs - (DAYS - 1 - index) * DAY_MS));
  return days.map((day) => ({ ...nothingOn(day), ...lines.find((line) => line.day === day), day }));
}
