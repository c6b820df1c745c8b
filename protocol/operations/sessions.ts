import { sessionAnalysis } from "../agents/analysis.js";
import {
  sessionCreate,
  sessionCreateQuery,
  sessionDetail,
  sessionList,
  sessionListQuery,
  sessionToken,
} from "../agents/session.js";
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
import { showRecording } from "./recordings.js";

/** Conversations with agents. */
export const sessionOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/sessions",
    tag: "Agents",
    scope: "agents",
    summary: "List sessions",
    description: `Without status, all but those that nobody has joined yet; status takes several, separated by commas. ${paging}`,
    query: sessionListQuery,
    success: { status: 200, description: "One page of sessions.", mediaTypes: json, schema: sessionList },
    errors: [...authentication, ...pagingErrors],
    curl: "-G -d status=completed,failed -d created_after=2026-01-01",
  },
  {
    method: "POST",
    path: "/v1/agent/sessions",
    tag: "Agents",
    scope: "agents",
    isKeyOptional: true,
    summary: "Begin a session",
    description:
      "Runs the agent's published version and answers with the room's address and a token that lets one caller in until expires_at. " +
      "An override must be one that the agent allows. Credit for the longest that it may last is held, and settled by its duration. " +
      "Without a key it is for public agents, from a page whose Origin is on the agent's list: such callers may override voice_id and " +
      "language only, and have no name and no llm_extra_body. preview runs the draft and triggers no webhook.",
    headers: [{ name: "origin", description: "The page that asks, where there is no key; browsers send it." }],
    query: sessionCreateQuery,
    body: { schema: sessionCreate, mediaTypes: json, maxBytes: bodyLimits.session },
    success: { status: 201, description: "What the caller joins with.", mediaTypes: json, schema: sessionToken },
    errors: [
      ...authentication,
      ...bodyErrors,
      "override_not_allowed",
      "key_required",
      "out_of_credit",
      "agent_not_public",
      "origin_required",
      "origin_not_allowed",
      "agent_unavailable",
      "not_found",
      "agent_not_published",
      "conflict",
      "too_many_sessions",
      "agent_gateway_unreachable",
      "no_agent_runtime",
    ],
    curl: `${jsonBody} -d '{"agent_id": "…", "dynamic_variables": {"name": "Ann"}}'`,
  },
  {
    method: "GET",
    path: "/v1/agent/sessions/:session_id",
    tag: "Agents",
    scope: "agents",
    summary: "Show a session",
    description:
      "With what was said and done in it, in order, how long each reply took, and what its analysis found out.",
    success: { status: 200, description: "The session.", mediaTypes: json, schema: sessionDetail },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/agent/sessions/:session_id/end",
    tag: "Agents",
    scope: "agents",
    summary: "End a session",
    description: "Hangs up; the record stays. A session that is over stays as it is.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/agent/sessions/:session_id/analysis",
    tag: "Agents",
    scope: "agents",
    summary: "Analyze a session again",
    description:
      "Queues the analysis of a session that is over, by the version that it ran, and answers with it; one that is queued or running " +
      "stays so. Its result replaces the one before, with a newer finished_at, and comes to webhooks as another call.analyzed. Sessions " +
      "are analyzed once by themselves; previews only so.",
    success: { status: 202, description: "The analysis.", mediaTypes: json, schema: sessionAnalysis },
    errors: [...authentication, "not_found", "conflict"],
    curl: "",
  },
  showRecording,
];
