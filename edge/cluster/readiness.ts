import type { Membership } from "#common/membership/membership";

/** What this edge knows when it is asked whether it can serve. */
export interface ClusterFacts {
  members: Membership;
  busConnected: boolean;
  draining: boolean;
  /** Model folders of which one must speak when the caller names no model. */
  defaultModels: string[];
}

function ownReasons({ busConnected, draining }: Pick<ClusterFacts, "busConnected" | "draining">): string[] {
  return [...(draining ? ["This edge is shutting down"] : []), ...(busConnected ? [] : ["No connection to NATS"])];
}

/** Everything that keeps this edge from serving speech now; empty when nothing does. */
export function reasonsNotReady({ members, busConnected, draining, defaultModels }: ClusterFacts): string[] {
  const reasons = ownReasons({ busConnected, draining });
  if (!members.ofRole("control-plane").some(({ state }) => state === "ready"))
    reasons.push("No control plane is ready");
  if (!members.ofRole("scheduler").some(({ state }) => state === "ready")) reasons.push("No scheduler is ready");
  const speaks = members
    .ofRole("worker")
    .some(({ state, models }) => state === "ready" && models.some(({ name }) => defaultModels.includes(name)));
  if (!speaks) reasons.push(`No worker is ready with the model ${defaultModels.join(" or ")}`);
  return reasons;
}

/**
 * Whether this edge may be sent requests, for whoever balances them. A new one waits until it has seen a whole cluster;
 * from then on only what is its own counts. What all edges lack is better answered by one of them, with a reason and
 * Retry-After, than by a balancer that has nobody left.
 */
export function untilFirstReady(facts: () => ClusterFacts): () => readonly string[] {
  let wasReady = false;
  return () => {
    const now = facts();
    const reasons = wasReady ? ownReasons(now) : reasonsNotReady(now);
    wasReady ||= reasons.length === 0;
    return reasons;
  };
}
