import { sha256Hex } from "#common/identifier";

/**
 * The scheduler that a worker belongs to: the one whose hash together with the worker's id is highest. All observers of
 * the same schedulers agree, and when one comes or goes only its own workers move (rendezvous hashing). Null when there
 * is none.
 */
export function chooseScheduler(workerId: string, schedulerIds: readonly string[]): string | null {
  let best: { id: string; weight: string } | null = null;
  for (const id of schedulerIds) {
    const weight = sha256Hex(`${workerId}\n${id}`);
    if (best === null || weight > best.weight) best = { id, weight };
  }
  return best?.id ?? null;
}
