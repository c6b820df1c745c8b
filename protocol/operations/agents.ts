import { agentCreate, agentEntity, agentList, agentListQuery, agentUpdate, widgetConfig } from "../agents/agent.js";
import { configEntity } from "../agents/config.js";
import { configPatch } from "../agents/config-patch.js";
import { publishRequest, versionDetail, versionList, versionSummary } from "../agents/version.js";
import { pageQuery } from "../paging.js";
import { agentTestOperations } from "./agent-tests.js";
import { bodyLimits } from "../limits.js";
import {
  authentication,
  bodyErrors,
  json,
  jsonBody,
  nothing,
  paging,
  pagingErrors,
  type Operation,
} from "./operation.js";
import { phoneOperations } from "./phone.js";
import { sessionOperations } from "./sessions.js";

const agents: Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/agents",
    tag: "Agents",
    scope: "agents",
    summary: "List agents",
    description: `Those of the caller's team; search looks into names and descriptions. ${paging}`,
    query: agentListQuery,
    success: { status: 200, description: "One page of agents.", mediaTypes: json, schema: agentList },
    errors: [...authentication, ...pagingErrors],
    curl: "-G -d search=support -d publication_state=live",
  },
  {
    method: "POST",
    path: "/v1/agent/agents",
    tag: "Agents",
    scope: "agents",
    summary: "Create an agent",
    description: "It begins as a draft with the default configuration, changed by config. Needs beta access.",
    body: { schema: agentCreate, mediaTypes: json },
    success: { status: 201, description: "The new agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, ...bodyErrors, "private_beta"],
    curl: `${jsonBody} -d '{"name": "Support", "config": {"prompt": {"system_prompt": "You help."}}}'`,
  },
  {
    method: "GET",
    path: "/v1/agent/agents/:agent_id",
    tag: "Agents",
    scope: "agents",
    summary: "Show an agent",
    description: "Another team's agent is answered as one that does not exist.",
    success: { status: 200, description: "The agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/v1/agent/agents/:agent_id",
    tag: "Agents",
    scope: "agents",
    summary: "Change an agent",
    description: "Fields that are absent keep their value. How it talks is its configuration.",
    body: { schema: agentUpdate, mediaTypes: json },
    success: { status: 200, description: "The agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"public_enabled": true, "allowed_origins": ["https://example.com"]}'`,
  },
  {
    method: "DELETE",
    path: "/v1/agent/agents/:agent_id",
    tag: "Agents",
    scope: "agents",
    summary: "Delete an agent",
    description: "With its configuration and versions.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/agent/agents/:agent_id/widget",
    tag: "Agents",
    scope: null,
    summary: "Show what the embedded widget needs",
    description:
      "For public agents, without a key; Origin must be on the agent's list. Every page may read the answer.",
    headers: [{ name: "origin", description: "The page that asks; browsers send it." }],
    success: { status: 200, description: "The widget's configuration.", mediaTypes: json, schema: widgetConfig },
    errors: ["agent_not_public", "origin_required", "origin_not_allowed", "not_found", "dependency_unavailable"],
    curl: `-H "Origin: https://example.com"`,
  },
];

const configurations: Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/agents/:agent_id/config",
    tag: "Agents",
    scope: "agents",
    summary: "Show an agent's draft configuration",
    description:
      "config_hash equals the live version's while nothing is unpublished. Of secrets it shows whether there is one.",
    success: { status: 200, description: "The draft.", mediaTypes: json, schema: configEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/v1/agent/agents/:agent_id/config",
    tag: "Agents",
    scope: "agents",
    summary: "Change an agent's draft configuration",
    description:
      "Objects are merged, lists replaced as a whole, empty text clears. Null is refused but for webhooks and llm.custom, which it " +
      "removes. A webhook without secret keeps the one stored for its url, an empty secret removes it; has_secret is ignored. llm.tier " +
      "removes llm.custom; while there is llm.custom, tier is what removing it returns to. Sessions see the change when it is published.",
    body: { schema: configPatch, mediaTypes: json },
    success: { status: 200, description: "The draft.", mediaTypes: json, schema: configEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"webhooks": {"post_call": [{"url": "https://example.com/calls", "secret": "..."}]}}'`,
  },
  {
    method: "POST",
    path: "/v1/agent/agents/:agent_id/publish",
    tag: "Agents",
    scope: "agents",
    summary: "Publish the draft",
    description:
      "Freezes it, with its tools and knowledge, as the next version. A draft that equals the live version gives that one. " +
      "The body may be absent.",
    body: { schema: publishRequest, mediaTypes: json, optional: true, maxBytes: bodyLimits.action },
    success: { status: 200, description: "The version.", mediaTypes: json, schema: versionSummary },
    errors: [...authentication, ...bodyErrors, "not_found", "conflict"],
    curl: `${jsonBody} -d '{"version_title": "Kinder greeting"}'`,
  },
  {
    method: "GET",
    path: "/v1/agent/agents/:agent_id/versions",
    tag: "Agents",
    scope: "agents",
    summary: "List published versions",
    description: paging,
    query: pageQuery,
    success: { status: 200, description: "One page of versions.", mediaTypes: json, schema: versionList },
    errors: [...authentication, ...pagingErrors, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/agent/agents/:agent_id/versions/:version_number",
    tag: "Agents",
    scope: "agents",
    summary: "Show a published version",
    description: "With the configuration that it froze.",
    success: { status: 200, description: "The version.", mediaTypes: json, schema: versionDetail },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/agent/agents/:agent_id/versions/:version_number/restore",
    tag: "Agents",
    scope: "agents",
    summary: "Restore a published version into the draft",
    description:
      "The draft becomes the configuration that the version froze, secrets included; sessions see it when it is published. Tools and " +
      "knowledge sources that were deleted since are left out; the others are used as they are now.",
    success: { status: 200, description: "The draft.", mediaTypes: json, schema: configEntity },
    errors: [...authentication, "not_found"],
    curl: "-X POST",
  },
];

/** Agents with their configurations, versions, sessions and tests, and phone numbers. */
export const agentOperations: readonly Operation[] = [
  ...agents,
  ...configurations,
  ...sessionOperations,
  ...agentTestOperations,
  ...phoneOperations,
];
