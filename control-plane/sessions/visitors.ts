import { ServiceError } from "#protocol/errors";
import { addressGroup } from "#common/address";
import type { AgentRow } from "../agents/tables.js";
import { requirePublicOrigin } from "../agents/widget.js";
import type { SessionContext } from "./context.js";

/** Who calls without a key. */
export interface Visitor {
  origin: string | undefined;
  address: string | null;
}

/**
 * Lets a caller without a key through to an agent, or throws why not: what `requirePublicOrigin` throws,
 * `agent_not_published`, and `too_many_sessions` past the windows of the agent and of the caller's address. Whoever is refused for another reason
 * does not count.
 */
export async function admitVisitor(
  { windows, settings }: Pick<SessionContext, "windows" | "settings">,
  agent: AgentRow,
  { origin, address }: Visitor,
): Promise<void> {
  requirePublicOrigin(agent, origin);
  if (agent.liveVersion === 0) throw new ServiceError("agent_not_published");
  const counted: [key: string, most: number][] = [
    [`sessions:address:${addressGroup(address ?? "")}`, settings.visitorsPerAddress],
    [`sessions:agent:${agent.id}`, settings.visitorsPerAgent],
  ];
  // One after the other: an address past its own window must not use up the agent's.
  for (const [key, most] of counted) {
    const verdict = await windows.take(key, most);
    if (!verdict.isAllowed) throw new ServiceError("too_many_sessions", { retryAfterMs: verdict.retryAfterMs });
  }
}
