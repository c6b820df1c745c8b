import type { Membership } from "#common/membership/membership";

/** What this edge knows when it is asked whether it can serve. */
export interface ClusterFacts {
  members: Membership;
  busConnected: boolean;
  draining: boolean;
  /** Model folders of which one must speak when the caller names no model. */
  defaultModels: string[];
}

/** Everything that keeps this edge from serving speech now; empty when nothing does. */
export function reasonsNotReady({ members, busConnected, draining, defaultModels }: ClusterFacts): string[] {
  const reasons: string[] = [];
  if (draining) reasons.push("This edge is shutting down");
  if (!busConnected) reasons.push("No connection to NATS");
  if (!members.ofRole("control-plane").some(({ state }) => state === "ready"))
    reasons.push("No control plane is ready");
  if (!members.ofRole("scheduler").some(({ state }) => state === "ready")) reasons.push("No scheduler is ready");
  const speaks = members
    .ofRole("worker")
    .some(({ state, models }) => state === "ready" && models.some(({ name }) => defaultModels.includes(name)));
  if (!speaks) reasons.push(`No worker is ready with the model ${defaultModels.join(" or ")}`);
  return reasons;
}
