import type { TestBatchSummary } from "#protocol/agents/test-runs";

/** Pass rates over time, oldest first; batches of which no run has passed or failed are left out. */
export function passRates(batches: readonly TestBatchSummary[]): { times: number[]; percents: number[] } {
  const judged = batches
    .flatMap(({ created_at, pass_rate }) => (pass_rate === null ? [] : [{ atMs: Date.parse(created_at), pass_rate }]))
    .sort((a, b) => a.atMs - b.atMs);
  return {
    times: judged.map(({ atMs }) => atMs / 1000),
    percents: judged.map(({ pass_rate }) => percentOf(pass_rate)),
  };
}

/** A pass rate (0 to 1) in whole percent: all is 100, and nothing less is. */
function percentOf(rate: number): number {
  return rate === 1 ? 100 : Math.min(99, Math.round(rate * 100));
}

/** A pass rate for people; a dash for none. */
export const rateText = (rate: number | null): string => (rate === null ? "–" : `${percentOf(rate)} %`);
