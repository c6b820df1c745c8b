import { z } from "zod";
import { pageEnvelope, pageQuery } from "./paging.js";
import { recordText } from "./text.js";

/** Who runs a tool: an HTTP endpoint, the caller's own program, or a connected service. */
export const toolTypes = ["webhook", "client", "integration"] as const;
export type ToolType = (typeof toolTypes)[number];
const toolMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ToolMethod = (typeof toolMethods)[number];
/** The authorization kinds are credentials: written, never read. */
const toolHeaderKinds = ["custom", "authorization_bearer", "authorization_basic"] as const;
export type ToolHeaderKind = (typeof toolHeaderKinds)[number];
const toolExecutionModes = ["blocking", "fire_and_forget", "background"] as const;
export type ToolExecutionMode = (typeof toolExecutionModes)[number];
const toolErrorHandlings = ["passthrough", "hide"] as const;
export type ToolErrorHandling = (typeof toolErrorHandlings)[number];

/** What templates may name besides declared arguments, without the `system.` before it. */
export const systemVariables = ["channel", "timezone", "today", "language", "caller_number", "dialed_number"] as const;
export type SystemVariable = (typeof systemVariables)[number];

export const MAX_TOOL_TIMEOUT_SECONDS = 120;
export const MAX_BACKGROUND_TIMEOUT_SECONDS = 300;
/** Counts how often a request came out of this service and in again: tools may name its own public address. */
export const toolHopsHeader = "x-parley-hops";
/** A request that came in so often makes no further one. */
export const MAX_TOOL_HOPS = 3;
/** Bytes of a test response that are shown. */
export const MAX_TEST_RESPONSE_BYTES = 64 * 1024;

/** Names that a client tool may have: its program registers handlers by exactly this name. */
export const clientToolName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
/** Names of integrations: a connected service and what it is asked to do. */
const integrationName = /^[a-z][a-z0-9_]{0,63}:[a-z][a-z0-9_]{0,63}$/;

/**
 * Argument names are found inside `{{…}}`: braces and spaces at the ends could never be named, and `system` belongs to
 * the variables.
 */
const argumentName = recordText(1, 64)
  .refine((name) => !/[{}\p{Cc}]/u.test(name) && name.trim() === name, {
    message: "Input should not have braces, control characters or spaces at its ends",
  })
  .refine((name) => name !== "system" && !name.startsWith("system."), {
    message: "Names that begin with system are reserved",
  });

const toolArgument = z.strictObject({ name: argumentName, description: recordText(0, 500).default("") });
export type ToolArgument = z.infer<typeof toolArgument>;

/** RFC 9110 section 5.6.2: a field name is a token. */
const headerName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { message: "Input should be a valid header name" });

/** A header as it is written. `value` null keeps the credential that is stored under the same name and kind. */
const toolHeaderInput = z.strictObject({
  name: headerName,
  value: recordText(0, 4000)
    .refine((value) => isHeaderValue(value), { message: "Input should be Latin-1 text on one line" })
    .nullable(),
  kind: z.enum(toolHeaderKinds).default("custom"),
  /** Ignored, so that what was read can be written back. */
  has_secret: z.boolean().optional(),
});
export type ToolHeaderInput = z.infer<typeof toolHeaderInput>;

/** Whether a text can be a header's value (RFC 9110 section 5.5): Latin-1 without control characters other than tab. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const toolMockResponse = z.strictObject({
  name: recordText(0, 120).default(""),
  status_code: z.int().min(100).max(599).default(200),
  content_type: recordText(0, 128).default("application/json"),
  body: recordText(0, 100_000).default(""),
});
export type ToolMockResponse = z.infer<typeof toolMockResponse>;

/** `type/subtype` with parameters (RFC 9110 section 8.3.1), or empty for none. */
const contentType = z
  .string()
  .max(128)
  .regex(/^$|^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s*;[\t\x20-\x7e]*)?$/, {
    message: "Input should be a valid media type",
  });

const fields = {
  name: recordText(1, 120),
  description: recordText(0, 2000),
  arguments: z.array(toolArgument).max(100),
  method: z.enum(toolMethods),
  url: recordText(0, 4000),
  content_type: contentType,
  body_template: recordText(0, 100_000),
  headers: z.array(toolHeaderInput).max(50),
  timeout_seconds: z.int().min(1).max(MAX_BACKGROUND_TIMEOUT_SECONDS),
  error_handling: z.enum(toolErrorHandlings),
  mock_responses: z.array(toolMockResponse).max(50),
  expects_response: z.boolean(),
  execution_mode: z.enum(toolExecutionModes),
};

/** Checked before the rest of a tool, which depends on it. */
export const typedTool = z.looseObject({ tool_type: z.enum(toolTypes).default("webhook") });

const integration = z
  .string()
  .regex(integrationName, { message: "Input should be a service and an action, joined by a colon" });

const createFields = {
  ...fields,
  description: fields.description.default(""),
  arguments: fields.arguments.default([]),
  method: fields.method.default("POST"),
  url: fields.url.default(""),
  content_type: fields.content_type.default("application/json"),
  body_template: fields.body_template.default(""),
  headers: fields.headers.default([]),
  timeout_seconds: fields.timeout_seconds.default(30),
  error_handling: fields.error_handling.default("passthrough"),
  mock_responses: fields.mock_responses.default([]),
  expects_response: fields.expects_response.default(true),
  execution_mode: fields.execution_mode.default("blocking"),
  /** Integration tools only. */
  integration: integration.optional(),
};

/** What is left empty is missing as much as what is left out. */
const someUrl = fields.url
  .refine((url) => url !== "", { message: "Field required", params: { type: "missing" } })
  .meta({ minLength: 1 });

/**
 * Body of `POST /v1/agent/tools`, with what its type needs. What else depends on several fields is checked when the
 * tool is saved.
 */
export const toolCreate = z.discriminatedUnion("tool_type", [
  z.strictObject({ ...createFields, tool_type: z.literal("webhook").default("webhook"), url: someUrl }),
  z.strictObject({
    ...createFields,
    tool_type: z.literal("client"),
    name: fields.name.meta({ pattern: clientToolName.source }),
  }),
  z.strictObject({ ...createFields, tool_type: z.literal("integration"), integration }),
]);
export type ToolCreate = z.infer<typeof toolCreate>;

/**
 * Body of `PATCH /v1/agent/tools/{tool_id}`: what is absent keeps its value, lists are replaced as a whole, null is
 * refused.
 */
export const toolPatch = z.strictObject(fields).partial();
export type ToolPatch = z.infer<typeof toolPatch>;

const timestamp = z.iso.datetime();

const toolSummary = z.object({
  tool_id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  tool_type: z.enum(toolTypes),
  method: z.enum(toolMethods),
  url: z.string(),
  /** Agents whose draft refers to this tool. */
  used_by: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ToolSummary = z.infer<typeof toolSummary>;

/** A header as it is read: credentials show only that they are there. */
const toolHeader = z.object({
  name: z.string(),
  kind: z.enum(toolHeaderKinds),
  value: z.string().nullable(),
  has_secret: z.boolean(),
});
export type ToolHeader = z.infer<typeof toolHeader>;

export const toolEntity = toolSummary.extend({
  arguments: z.array(z.object({ name: z.string(), description: z.string() })),
  content_type: z.string(),
  body_template: z.string(),
  headers: z.array(toolHeader),
  timeout_seconds: z.int(),
  error_handling: z.enum(toolErrorHandlings),
  mock_responses: z.array(
    z.object({ name: z.string(), status_code: z.int(), content_type: z.string(), body: z.string() }),
  ),
  expects_response: z.boolean(),
  execution_mode: z.enum(toolExecutionModes),
  /** Present on integration tools only. */
  integration: z.string().optional(),
});
export type ToolEntity = z.infer<typeof toolEntity>;

/** Query of `GET /v1/agent/tools`. */
export const toolListQuery = pageQuery.extend({ search: z.string().optional(), agent_id: z.string().optional() });
export type ToolListQuery = z.infer<typeof toolListQuery>;
export const toolList = pageEnvelope.extend({ tools: z.array(toolSummary) });
export type ToolList = z.infer<typeof toolList>;

/** Any JSON value, by the name under which descriptions of the API have it: it contains itself. */
const jsonValue = z.json().meta({ id: "JsonValue" });

/** Body of `POST /v1/agent/tools/{tool_id}/test`. System variables are given inside, as an object named `system`. */
export const toolTestRequest = z.strictObject({ arguments: z.record(z.string(), jsonValue).default({}) });
export type ToolTestRequest = z.infer<typeof toolTestRequest>;

/** What a test request met. A failure to get any answer is told in `error`; `status_code` is null then. */
export const toolTestResult = z.object({
  status_code: z.int().nullable(),
  latency_ms: z.int(),
  response_headers: z.record(z.string(), z.string()),
  /** Text of the first 64 KB. */
  response_body: z.string(),
  response_truncated: z.boolean(),
  error: z.string().nullable(),
});
export type ToolTestResult = z.infer<typeof toolTestResult>;
