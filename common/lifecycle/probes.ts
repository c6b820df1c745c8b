import type { LifecycleState } from "#protocol/bus/membership";
import type { Bus } from "../bus/bus.js";

/** What a process answers to the one that looks after it, such as a kubelet. */
export interface ProbeAnswer {
  isPositive: boolean;
  /** Why not; empty where it is. */
  reasons: readonly string[];
}

/** What is known of a process when it is asked. */
export interface ProbeFacts {
  state: LifecycleState;
  /** What keeps a started role from its work; only asked where it has started. */
  reasonsNotReady(): readonly string[];
}

/**
 * Answers `/startup` (it has loaded what it needs), `/live` (its event loop turns: whoever reads this answer knows) and
 * `/ready` (work may be sent to it); null for other paths. A dependency that is away makes a process unready and never
 * dead: killing it would bring nothing back.
 */
export function answerProbe(path: string, facts: ProbeFacts): ProbeAnswer | null {
  if (path === "/live") return { isPositive: true, reasons: [] };
  if (path !== "/startup" && path !== "/ready") return null;
  const reasons = path === "/startup" ? reasonsNotStarted(facts.state) : reasonsNotReady(facts);
  return { isPositive: reasons.length === 0, reasons };
}

/** What keeps a role that needs nothing but the bus from its work. */
export function unlessConnected(bus: Pick<Bus, "isConnected">): () => readonly string[] {
  return () => (bus.isConnected() ? [] : ["No connection to NATS"]);
}

const reasonsNotStarted = (state: LifecycleState): readonly string[] => (state === "initialized" ? ["Starting"] : []);

function reasonsNotReady({ state, reasonsNotReady }: ProbeFacts): readonly string[] {
  if (state === "initialized") return ["Starting"];
  return state === "ready" ? reasonsNotReady() : ["Shutting down"];
}
