import type { UsageReport } from "#protocol/usage";
import type { TestCluster } from "../../harness/cluster.js";

/** What a team is charged for. */
export interface Bill {
  requests: number;
  characters: number;
}

const BOOKED_MS = 30_000;
const LOOK_AGAIN_MS = 100;

/** The team's usage as soon as it is as it must be, or as it is after half a minute. */
export async function bookedUsage(
  cluster: Pick<TestCluster, "baseUrl">,
  apiKey: string,
  isAsItMustBe: (bill: Bill) => boolean,
): Promise<Bill> {
  const untilMs = performance.now() + BOOKED_MS;
  for (;;) {
    const bill = await readUsage(cluster, apiKey);
    if (isAsItMustBe(bill) || performance.now() > untilMs) return bill;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

async function readUsage({ baseUrl }: Pick<TestCluster, "baseUrl">, apiKey: string): Promise<Bill> {
  const response = await fetch(`${baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`usage: ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as UsageReport;
  const sum = (of: (line: UsageReport["data"][number]) => number): number =>
    data.reduce((total, line) => total + of(line), 0);
  return { requests: sum((line) => line.requests), characters: sum((line) => line.characters) };
}
