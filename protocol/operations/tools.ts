import type { ErrorCode } from "../errors.js";
import {
  knowledgeCreate,
  knowledgeList,
  knowledgeListQuery,
  knowledgePatch,
  knowledgeSearchRequest,
  knowledgeSearchResult,
  knowledgeSourceEntity,
} from "../knowledge.js";
import { dependentAgents } from "../paging.js";
import {
  MAX_BACKGROUND_TIMEOUT_SECONDS,
  toolCreate,
  toolEntity,
  toolList,
  toolListQuery,
  toolPatch,
  toolTestRequest,
  toolTestResult,
} from "../tools.js";
import { bodyLimits } from "../limits.js";
import { authentication, bodyErrors, json, jsonBody, paging, pagingErrors, type Operation } from "./operation.js";

/** A tool's test waits for a stranger's endpoint as long as the tool may; the rest is for the database and the way. */
const TEST_TIMEOUT_MS = MAX_BACKGROUND_TIMEOUT_SECONDS * 1000 + 10_000;

const formErrors: ErrorCode[] = [
  "malformed_multipart",
  "unreadable_knowledge",
  "payload_too_large",
  "unsupported_media_type",
  "validation",
];
const form = ["multipart/form-data"];

const tools: Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/tools",
    tag: "Agents",
    scope: "agents",
    summary: "List tools",
    description: `Those of the caller's team; search looks into names, agent_id keeps those of an agent's draft. ${paging}`,
    query: toolListQuery,
    success: { status: 200, description: "One page of tools.", mediaTypes: json, schema: toolList },
    errors: [...authentication, ...pagingErrors, "not_found"],
    curl: "-G -d search=order",
  },
  {
    method: "POST",
    path: "/v1/agent/tools",
    tag: "Agents",
    scope: "agents",
    summary: "Create a tool",
    description:
      "Webhook tools, which need a url, call an HTTP endpoint, client tools the caller's own program. {{name}} stands for a declared argument and " +
      "{{system.today}} and its like for a system variable, in the URL's path and query, header values and the body. Attach it in an agent's " +
      "configuration. " +
      "Credential headers are written and never read. Needs beta access.",
    body: { schema: toolCreate, mediaTypes: json },
    success: { status: 201, description: "The new tool.", mediaTypes: json, schema: toolEntity },
    errors: [...authentication, ...bodyErrors, "private_beta"],
    curl: `${jsonBody} -d '{"name": "Find an order", "arguments": [{"name": "order"}], "url": "https://api.example.com/orders/{{order}}"}'`,
  },
  {
    method: "GET",
    path: "/v1/agent/tools/:tool_id",
    tag: "Agents",
    scope: "agents",
    summary: "Show a tool",
    description: "Another team's tool is answered as one that does not exist.",
    success: { status: 200, description: "The tool.", mediaTypes: json, schema: toolEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/v1/agent/tools/:tool_id",
    tag: "Agents",
    scope: "agents",
    summary: "Change a tool",
    description:
      "Absent fields keep their value, lists are replaced as a whole. A credential header with the value null keeps what is stored. " +
      "A url with another scheme, host or port drops the stored credentials (`has_secret` is false then) but those that the same request sends. " +
      "Agents that use the tool show unpublished changes.",
    body: { schema: toolPatch, mediaTypes: json },
    success: { status: 200, description: "The tool.", mediaTypes: json, schema: toolEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"timeout_seconds": 10}'`,
  },
  {
    method: "DELETE",
    path: "/v1/agent/tools/:tool_id",
    tag: "Agents",
    scope: "agents",
    summary: "Delete a tool",
    description: "Refused while the draft of an agent refers to it; published versions keep their copy.",
    success: { status: 204, description: "Done.", mediaTypes: [] },
    errors: [...authentication, "not_found", "tool_attached"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/agent/tools/:tool_id/agents",
    tag: "Agents",
    scope: "agents",
    summary: "List the agents that use a tool",
    description: "Those whose draft refers to it.",
    success: { status: 200, description: "The agents.", mediaTypes: json, schema: dependentAgents },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/agent/tools/:tool_id/test",
    tag: "Agents",
    scope: "agents",
    summary: "Send a test request to a tool's endpoint",
    description:
      "A real request. The URL is sent as it was saved; system variables are empty unless the arguments bring them in an object named " +
      "system. At most 64 KB of the answer are shown; an endpoint that does not answer within the tool's timeout is told in error.",
    body: { schema: toolTestRequest, mediaTypes: json, optional: true },
    success: { status: 200, description: "What came back.", mediaTypes: json, schema: toolTestResult },
    answerTimeoutMs: TEST_TIMEOUT_MS,
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"arguments": {"order": "A-17", "system": {"today": "2026-01-31"}}}'`,
  },
];

const knowledge: Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/knowledge-sources",
    tag: "Agents",
    scope: "agents",
    summary: "List knowledge sources",
    description: `Those of the caller's team; search looks into names and file names. ${paging}`,
    query: knowledgeListQuery,
    success: {
      status: 200,
      description: "One page of sources, without their text.",
      mediaTypes: json,
      schema: knowledgeList,
    },
    errors: [...authentication, ...pagingErrors],
    curl: "-G -d page_size=10",
  },
  {
    method: "POST",
    path: "/v1/agent/knowledge-sources",
    tag: "Agents",
    scope: "agents",
    summary: "Upload a knowledge source",
    description:
      "UTF-8 plain text or Markdown of at most 1 MB, by its name .txt or .md. Without a name the file's name stands. Needs beta access.",
    body: { schema: knowledgeCreate, mediaTypes: form, maxBytes: bodyLimits.knowledge },
    success: { status: 201, description: "The new source.", mediaTypes: json, schema: knowledgeSourceEntity },
    errors: [...authentication, ...formErrors, "private_beta"],
    curl: `-F "source=@faq.md" -F "name=Customer FAQ"`,
  },
  {
    method: "POST",
    path: "/v1/agent/knowledge-sources/search",
    tag: "Agents",
    scope: "agents",
    summary: "Search knowledge sources",
    description:
      "Finds the passages that an agent with these sources would be given for what a caller says, in their newest text. Sources that " +
      "the team does not have are not searched.",
    body: { schema: knowledgeSearchRequest, mediaTypes: json, maxBytes: bodyLimits.action },
    success: {
      status: 200,
      description: "The passages, the best first.",
      mediaTypes: json,
      schema: knowledgeSearchResult,
    },
    errors: [...authentication, ...bodyErrors],
    curl: `${jsonBody} -d '{"query": "When do you open?", "knowledge_source_ids": ["..."]}'`,
  },
  {
    method: "GET",
    path: "/v1/agent/knowledge-sources/:source_id",
    tag: "Agents",
    scope: "agents",
    summary: "Show a knowledge source",
    description: "With its newest text. Another team's source is answered as one that does not exist.",
    success: { status: 200, description: "The source.", mediaTypes: json, schema: knowledgeSourceEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/v1/agent/knowledge-sources/:source_id",
    tag: "Agents",
    scope: "agents",
    summary: "Rename a knowledge source or replace its text",
    description: "A new file becomes a new revision. Drafts use the newest one; published versions keep theirs.",
    body: { schema: knowledgePatch, mediaTypes: form, maxBytes: bodyLimits.knowledge },
    success: { status: 200, description: "The source.", mediaTypes: json, schema: knowledgeSourceEntity },
    errors: [...authentication, ...formErrors, "not_found"],
    curl: `-F "source=@faq.md"`,
  },
  {
    method: "DELETE",
    path: "/v1/agent/knowledge-sources/:source_id",
    tag: "Agents",
    scope: "agents",
    summary: "Delete a knowledge source",
    description: "With all its revisions. Refused while the draft or the live version of an agent refers to it.",
    success: { status: 204, description: "Done.", mediaTypes: [] },
    errors: [...authentication, "not_found", "knowledge_attached"],
    curl: "",
  },
  {
    method: "GET",
    path: "/v1/agent/knowledge-sources/:source_id/agents",
    tag: "Agents",
    scope: "agents",
    summary: "List the agents that use a knowledge source",
    description: "Those whose draft or live version refers to it.",
    success: { status: 200, description: "The agents.", mediaTypes: json, schema: dependentAgents },
    errors: [...authentication, "not_found"],
    curl: "",
  },
];

/** Tools and knowledge sources. */
export const toolOperations: readonly Operation[] = [...tools, ...knowledge];
