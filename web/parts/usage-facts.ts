import type { UsageLine } from "#protocol/usage";

/** Seconds as people say them. */
function sayDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What was used, by name. */
export function usageFactsOf(line: UsageLine): [string, string][] {
  return [
    ["Requests", line.requests.toLocaleString("en")],
    ["Failed", line.failed_requests.toLocaleString("en")],
    ["Characters", line.characters.toLocaleString("en")],
    ["Audio", sayDuration(line.audio_seconds)],
    ["Conversations", sayDuration(line.conversation_seconds)],
    ["Cost", `${line.cost} credits`],
  ];
}
