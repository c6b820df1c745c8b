import type { KeyScope } from "./bus/control.js";
import { bodyLimits } from "./limits.js";
import { MAX_BACKGROUND_TIMEOUT_SECONDS } from "./tools.js";

/** One HTTP operation that the control plane answers and edges forward to it. */
export interface ForwardedOperation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `:placeholders`, each for one segment. */
  path: string;
  /** What the caller's key must cover; null where no key is asked for. */
  scope: KeyScope | null;
  /** Largest body; 0 where none is wanted. */
  maxBodyBytes: number;
  /** How long an edge waits for the answer. */
  answerTimeoutMs: number;
}

/** A voice upload decodes and measures its samples before it answers. */
const ANSWER_TIMEOUT_MS = 30_000;
/** A tool's test waits for a stranger's endpoint as long as the tool may; the rest is for the database and the way. */
const TOOL_TEST_TIMEOUT_MS = MAX_BACKGROUND_TIMEOUT_SECONDS * 1000 + 10_000;

type Method = ForwardedOperation["method"];

/** What most bodies are: records that are made or changed. */
const bodyByMethod: Readonly<Record<Method, number>> = {
  GET: bodyLimits.none,
  POST: bodyLimits.record,
  PUT: bodyLimits.record,
  PATCH: bodyLimits.record,
  DELETE: bodyLimits.none,
};

function on(path: string, scope: KeyScope | null, ...methods: Method[]): ForwardedOperation[] {
  return methods.map((method) => ({
    method,
    path,
    scope,
    maxBodyBytes: bodyByMethod[method],
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
  }));
}

/** The same with another bound for the bodies that there are. */
function withBody(maxBodyBytes: number, operations: ForwardedOperation[]): ForwardedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    maxBodyBytes: operation.maxBodyBytes === bodyLimits.none ? bodyLimits.none : maxBodyBytes,
  }));
}

/**
 * All of them, for the edge's router and its preflight answers. Tests compare them with the control plane's routes and
 * with `/openapi.json`.
 */
export const forwardedOperations: readonly ForwardedOperation[] = [
  ...withBody(bodyLimits.voice, on("/model", "voices", "GET", "POST")),
  ...withBody(bodyLimits.voice, on("/model/:id", "voices", "GET", "PATCH", "DELETE")),
  ...on("/model/:id/samples/:position", "voices", "GET"),
  ...on("/model/:id/cover", "voices", "GET"),
  ...on("/wallet/:user_id/api-credit", "wallet", "GET"),
  ...on("/wallet/:user_id/package", "wallet", "GET"),
  ...on("/v1/usage", "wallet", "GET"),
  ...on("/v1/agent/agents", "agents", "GET", "POST"),
  ...on("/v1/agent/agents/:agent_id", "agents", "GET", "PATCH", "DELETE"),
  ...on("/v1/agent/agents/:agent_id/widget", null, "GET"),
  ...on("/v1/agent/agents/:agent_id/config", "agents", "GET", "PATCH"),
  ...withBody(bodyLimits.action, on("/v1/agent/agents/:agent_id/publish", "agents", "POST")),
  ...on("/v1/agent/agents/:agent_id/versions", "agents", "GET"),
  ...on("/v1/agent/agents/:agent_id/versions/:version_number", "agents", "GET"),
  ...withBody(bodyLimits.none, on("/v1/agent/agents/:agent_id/tests/:test_id", "agents", "PUT", "DELETE")),
  ...withBody(bodyLimits.action, on("/v1/agent/agents/:agent_id/tests/run", "agents", "POST")),
  ...on("/v1/agent/agents/:agent_id/test-tools", "agents", "GET"),
  ...on("/v1/agent/agents/:agent_id/test-batches/:batch_id", "agents", "GET"),
  ...on("/v1/agent/tests", "agents", "GET", "POST"),
  ...on("/v1/agent/tests/:test_id", "agents", "GET", "PATCH", "DELETE"),
  ...on("/v1/agent/test-runs", "agents", "GET"),
  ...on("/v1/agent/test-runs/:run_id", "agents", "GET"),
  ...on("/v1/agent/tools", "agents", "GET", "POST"),
  ...on("/v1/agent/tools/:tool_id", "agents", "GET", "PATCH", "DELETE"),
  ...on("/v1/agent/tools/:tool_id/agents", "agents", "GET"),
  ...on("/v1/agent/tools/:tool_id/test", "agents", "POST").map((operation) => ({
    ...operation,
    answerTimeoutMs: TOOL_TEST_TIMEOUT_MS,
  })),
  ...withBody(bodyLimits.knowledge, on("/v1/agent/knowledge-sources", "agents", "GET", "POST")),
  ...withBody(bodyLimits.knowledge, on("/v1/agent/knowledge-sources/:source_id", "agents", "GET", "PATCH", "DELETE")),
  ...on("/v1/agent/knowledge-sources/:source_id/agents", "agents", "GET"),
  ...on("/v1/agent/available-phone-numbers", "agents", "GET"),
  ...on("/v1/agent/phone-numbers", "agents", "GET", "POST"),
  ...on("/v1/agent/phone-numbers/:phone_number_id", "agents", "GET", "PATCH", "DELETE"),
  ...on("/v1/agent/phone-numbers/:phone_number_id/sip-config", "agents", "PUT"),
  ...on("/v1/agent/webhook-deliveries", "agents", "GET"),
  ...on("/v1/agent/webhook-deliveries/:delivery_id", "agents", "GET"),
  ...withBody(bodyLimits.none, on("/v1/agent/webhook-deliveries/:delivery_id/redeliver", "agents", "POST")),
];
