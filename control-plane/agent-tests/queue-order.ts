/** The open runs of one team. */
export interface TeamQueue {
  teamId: string;
  /** Runs that a runtime has. */
  running: number;
  /** When the batch of its next run was started; null where none waits. */
  oldestQueuedAt: Date | null;
}

/**
 * Whose run is next: of the teams that wait the one with the fewest running, then the one that has waited longest; null
 * where nobody waits or `concurrency` runs are running already. So a team with a thousand runs does not keep the others
 * waiting. Pure.
 */
export function nextTeam(queues: readonly TeamQueue[], concurrency: number): string | null {
  const running = queues.reduce((sum, queue) => sum + queue.running, 0);
  if (running >= concurrency) return null;
  const [next] = queues
    .filter((queue): queue is TeamQueue & { oldestQueuedAt: Date } => queue.oldestQueuedAt !== null)
    .sort((a, b) => a.running - b.running || a.oldestQueuedAt.getTime() - b.oldestQueuedAt.getTime());
  return next?.teamId ?? null;
}
