import { eq } from "drizzle-orm";
import { baseUrlOf } from "#common/http/base-url";
import { originOf, type WidgetConfig } from "#protocol/agents/agent";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { isAgentId } from "./store.js";
import { type AgentRow, agents } from "./tables.js";

/**
 * Lets a visitor without a key through to an agent, or throws why not: `agent_not_public`, `origin_required`,
 * `origin_not_allowed`. Archived agents are not public. Origins match exactly by scheme, host and port.
 */
export function requirePublicOrigin(
  agent: Pick<AgentRow, "status" | "publicEnabled" | "allowedOrigins">,
  origin: string | undefined,
): void {
  if (!agent.publicEnabled || agent.status !== "active") throw new ServiceError("agent_not_public");
  if (origin === undefined || origin === "") throw new ServiceError("origin_required");
  const asked = originOf(origin);
  if (asked === null || !agent.allowedOrigins.includes(asked)) throw new ServiceError("origin_not_allowed");
}

/**
 * The origin of the page that reads something. Browsers name none when a page reads from its own origin: there it is
 * this service's, and they say so in `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/), which no page can set.
 */
export function readingOrigin(headers: Readonly<Record<string, string>>): string | undefined {
  const { origin } = headers;
  if (origin !== undefined || headers["sec-fetch-site"] !== "same-origin") return origin;
  return baseUrlOf((name) => headers[name]) ?? undefined;
}

/**
 * What the embedded widget shows. Throws `not_found`, `agent_not_public` also where no version is published, and what
 * `requirePublicOrigin` throws.
 */
export async function widgetConfigOf(db: Db, agentId: string, origin: string | undefined): Promise<WidgetConfig> {
  const [agent] = isAgentId(agentId) ? await db.select().from(agents).where(eq(agents.id, agentId)) : [];
  if (agent === undefined) throw new ServiceError("not_found");
  if (agent.liveVersion === 0) throw new ServiceError("agent_not_public");
  requirePublicOrigin(agent, origin);
  return { agent_name: agent.name };
}
