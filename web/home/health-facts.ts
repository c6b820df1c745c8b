/** Body of `GET /health`. Where an operator's token is set, others learn nothing but `status` and `draining`. */
export interface Health {
  status: "ok" | "degraded";
  draining: boolean;
  version?: string;
  problems?: string[];
  gateway?: "reachable" | "unreachable" | "none";
  control_planes?: { id: string; state: string }[];
  schedulers?: { id: string; state: string; loads: { queued_chunks: number; slots: number; free_slots: number }[] }[];
  workers?: { id: string; state: string }[];
  models?: { name: string; task: string; languages: string[]; providers: string[]; workers: number }[];
}

const gateways = {
  reachable: "Reachable",
  unreachable: "Does not answer: agents cannot talk",
  none: "None: agents cannot talk",
} as const;

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** A report in words: whether all is well, and the facts that it holds. */
export function sayHealth(health: Health): { isWell: boolean; headline: string; facts: [string, string][] } {
  const isWell = health.status === "ok" && !health.draining;
  const headline = health.draining
    ? "This server is shutting down: running streams finish, new ones are refused."
    : isWell
      ? "All is well."
      : "Something is missing.";
  const loads = (health.schedulers ?? []).flatMap((scheduler) => scheduler.loads);
  const facts: [string, string][] = [];
  if (health.version !== undefined) facts.push(["Version", health.version]);
  if (health.control_planes !== undefined) facts.push(["Control planes", String(health.control_planes.length)]);
  if (health.schedulers !== undefined) {
    facts.push(["Schedulers", String(health.schedulers.length)]);
    facts.push(["Waiting chunks", String(total(loads.map((load) => load.queued_chunks)))]);
    const [slots, free] = [total(loads.map((load) => load.slots)), total(loads.map((load) => load.free_slots))];
    facts.push(["Busy slots", `${slots - free} of ${slots}`]);
  }
  if (health.workers !== undefined) facts.push(["Workers", String(health.workers.length)]);
  if (health.gateway !== undefined) facts.push(["LiveKit", gateways[health.gateway]]);
  return { isWell, headline, facts };
}
