import { z } from "zod";
import { looseBoolean } from "../loose.js";
import { pageEnvelope, pageQuery } from "../paging.js";
import { recordText } from "../text.js";
import { configPatch } from "./config-patch.js";
import { timestamp } from "./text.js";

export const agentStatuses = ["active", "archived"] as const;
/** `live` once a version is published. */
const publicationStates = ["live", "draft"] as const;
/** What a session may override when the agent allows it. */
export const overrideNames = ["first_message", "system_prompt", "voice_id", "language"] as const;

/** An agent as `/v1/agent/agents` shows it. */
export const agentEntity = z.object({
  agent_id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(agentStatuses),
  publication_state: z.enum(publicationStates),
  public_enabled: z.boolean(),
  allowed_origins: z.array(z.string()),
  overrides_allowed: z.array(z.enum(overrideNames)),
  created_at: timestamp,
  updated_at: timestamp,
});
export type AgentEntity = z.output<typeof agentEntity>;

export const agentList = pageEnvelope.extend({ agents: z.array(agentEntity) });

/** Query of `GET /v1/agent/agents`. */
export const agentListQuery = pageQuery.extend({
  search: z.string().optional(),
  include_archived: looseBoolean(false),
  publication_state: z.enum(["all", ...publicationStates]).default("all"),
});
export type AgentListQuery = z.output<typeof agentListQuery>;

const name = recordText(1, 120);
const description = recordText(0, 2000);

/** Body of `POST /v1/agent/agents`. `config` is applied to the default configuration. */
export const agentCreate = z.strictObject({
  name,
  description: description.default(""),
  config: configPatch.nullable().optional(),
});
export type AgentCreate = z.output<typeof agentCreate>;

/**
 * A page's origin (RFC 6454): scheme, host and port, nothing more; a slash at the end is tolerated. Kept as browsers
 * send it.
 */
const allowedOrigin = recordText(1, 2048).transform((text, context) => {
  const origin = originOf(text);
  if (origin === null)
    context.addIssue({ code: "custom", message: "Input should be an origin such as https://example.com" });
  return origin ?? z.NEVER;
});

/** The origin that a text names, as browsers send it in `Origin`, or null where it names none: `*` stands for no host. */
export function originOf(text: string): string | null {
  if (!/^https?:\/\/[^/?#@*\s\\]+\/?$/i.test(text) || !URL.canParse(text)) return null;
  const { origin } = new URL(text);
  return origin === "null" ? null : origin;
}

/** Body of `PATCH /v1/agent/agents/{id}`: absent fields keep their value. */
export const agentUpdate = z.strictObject({
  name: name.optional(),
  description: description.optional(),
  status: z.enum(agentStatuses).optional(),
  public_enabled: z.boolean().optional(),
  allowed_origins: z.array(allowedOrigin).max(20).optional(),
  overrides_allowed: z.array(z.enum(overrideNames)).max(8).optional(),
});
export type AgentUpdate = z.output<typeof agentUpdate>;

/** Answer of `GET /v1/agent/agents/{id}/widget`. Fields are only ever added. */
export const widgetConfig = z.object({ agent_name: z.string() });
export type WidgetConfig = z.output<typeof widgetConfig>;
