import type { Heartbeat } from "#protocol/bus/membership";

type SchedulerHeartbeat = Extract<Heartbeat, { role: "scheduler" }>;

/**
 * What a chunk sent since a scheduler's last heartbeat is taken to add to its wait, so that a burst does not all go one
 * way.
 */
const UNREPORTED_WAIT_MS = 5;

/**
 * What makes a scheduler the better one: the shortest wait of a first chunk (speech), or the shortest queue for its
 * slots (audio, which goes to all).
 */
export type Burden = "wait" | "backlog";

/**
 * Names the scheduler for a stream's chunk: the one it used before while that one lives and serves the model, else the
 * one with the least burden. `sentSinceHeartbeat` counts chunks that its load report cannot know of. Null when none
 * serves the model.
 */
export function chooseScheduler(options: {
  schedulers: SchedulerHeartbeat[];
  model: string;
  keep: string | null;
  avoid: string | null;
  by?: Burden;
  sentSinceHeartbeat: ReadonlyMap<string, number>;
}): string | null {
  const { schedulers, model, keep, avoid, by = "wait", sentSinceHeartbeat } = options;
  const candidates = schedulers.flatMap((scheduler) => {
    const load = scheduler.loads.find((candidate) => candidate.model === model && candidate.slots > 0);
    if (load === undefined || scheduler.state !== "ready") return [];
    const sent = sentSinceHeartbeat.get(scheduler.id) ?? 0;
    const unreported = Math.max(0, sent - load.freeSlots) * UNREPORTED_WAIT_MS;
    const burden =
      by === "wait"
        ? load.predictedWaitMs + unreported
        : Math.max(0, load.queuedChunks + sent - load.freeSlots) / load.slots;
    return [{ id: scheduler.id, burden, freeSlots: load.freeSlots - sent }];
  });
  const others = candidates.filter((candidate) => candidate.id !== avoid);
  const usable = others.length > 0 ? others : candidates;
  if (keep !== null && usable.some((candidate) => candidate.id === keep)) return keep;
  const [best] = usable.sort((a, b) => a.burden - b.burden || b.freeSlots - a.freeSlots || (a.id < b.id ? -1 : 1));
  return best?.id ?? null;
}
