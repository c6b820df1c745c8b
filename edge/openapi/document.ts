import { type ErrorCode, errorCatalogue } from "#protocol/errors";
import { version } from "#common/version";
import { bracedPath, type Operation, operationTags } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { codeSamples } from "./code-samples.js";
import { exampleRequest } from "./example-request.js";
import { type JsonSchema, requestSchema, responseSchema, shareDefinitions } from "./schemas.js";

/**
 * Builds the OpenAPI 3.1 description (https://spec.openapis.org/oas/v3.1.0) of the API from the schemas that check its
 * requests.
 */
export function buildOpenApi(): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = bracedPath(operation);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describeOperation(operation);
  }
  const shared = shareDefinitions(paths, { Error: errorSchema, Problems: problemsSchema });
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version,
      description: "Self-hosted speech and voice-agent service: text in, speech out, live.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: operationTags.map((name) => ({ name })),
    paths: shared.part,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API key." } },
      schemas: shared.schemas,
    },
  };
}

const errorSchema: JsonSchema = {
  type: "object",
  properties: { status: { type: "integer" }, message: { type: "string" }, reason: { type: ["string", "null"] } },
  required: ["status", "message"],
};

const problemsSchema: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      type: { type: "string" },
      loc: { type: "array", items: { type: ["string", "integer"] } },
      msg: { type: "string" },
      ctx: { type: "object" },
    },
    required: ["type", "loc", "msg", "ctx"],
  },
};

function describeOperation(operation: Operation): JsonSchema {
  const { method, path, tag, summary, description, body, success } = operation;
  const answer = success.schema === undefined ? {} : responseSchema(success.schema);
  return {
    operationId: `${method.toLowerCase()}${path.replace(/:/g, "").replace(/[^a-z0-9]+(.?)/gi, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    description,
    // An empty requirement says that none is needed.
    security:
      operation.scope === null ? [] : operation.isKeyOptional === true ? [{ bearer: [] }, {}] : [{ bearer: [] }],
    parameters: describeParameters(operation),
    "x-codeSamples": codeSamples(operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            content: withExample(
              contentOf(body.mediaTypes, requestSchema(body.schema)),
              exampleRequest(operation).json,
            ),
          },
        }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.mediaTypes.length === 0 ? {} : { content: contentOf(success.mediaTypes, answer) }),
      },
      ...describeRedirect(operation.redirect),
      ...describeErrors(operation.errors),
    },
  };
}

function describeRedirect(redirect: string | undefined): JsonSchema {
  if (redirect === undefined) return {};
  return { 307: { description: redirect, headers: { Location: { schema: { type: "string", format: "uri" } } } } };
}

function contentOf(mediaTypes: readonly string[], schema: JsonSchema): JsonSchema {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

/** What a reader sends first: the body of the operation's own example. */
function withExample(content: JsonSchema, example: string | null): JsonSchema {
  const json = content["application/json"];
  if (example === null || json === undefined) return content;
  return { ...content, "application/json": { ...json, example: JSON.parse(example) as unknown } };
}

function describeParameters({ path, headers = [], query }: Operation): JsonSchema[] {
  const fromPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const fromHeaders = headers.map(({ name, description }) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  const schemas = query === undefined ? {} : (requestSchema(query)["properties"] as Record<string, JsonSchema>);
  const answered = query === undefined ? {} : (responseSchema(query)["properties"] as Record<string, JsonSchema>);
  const fromQuery = Object.keys(schemas).map((name) => ({
    name,
    in: "query",
    required: false,
    schema: { ...answered[name], ...schemas[name] },
  }));
  return [...fromPath, ...fromHeaders, ...fromQuery];
}

/** Errors of one status share a response, which lists what they say. */
function describeErrors(codes: readonly ErrorCode[]): JsonSchema {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [status, describeError(group)]),
  );
}

/**
 * One status. Errors that are nothing but the status have no content; where others of the same status have one, the
 * description says which is which, since OpenAPI knows one response for each status.
 */
function describeError(codes: readonly ErrorCode[]): JsonSchema {
  const entries = codes.map((code): { message: string; shape?: string; retryable?: boolean } => errorCatalogue[code]);
  const withBody = entries.filter(({ shape }) => shape !== "bare");
  const hasBody = withBody.length > 0;
  const messages = [...new Set(withBody.map(({ message }) => message))].join(" · ");
  const bare = codes.includes("unauthenticated")
    ? "No body when the Authorization header is missing or malformed"
    : "No body";
  const isMixed = hasBody && withBody.length < entries.length;
  const names = [...new Set(withBody.map(({ shape }) => (shape === "problems" ? "Problems" : "Error")))];
  const schemas = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const headers: JsonSchema = {};
  if (codes.includes("unauthenticated")) headers["WWW-Authenticate"] = { schema: { type: "string" } };
  if (entries.some(({ retryable }) => retryable))
    headers["Retry-After"] = { description: "Seconds.", schema: { type: "integer" } };
  return {
    description: isMixed ? `${bare}. Otherwise: ${messages}` : hasBody ? messages : bare,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(hasBody
      ? { content: { "application/json": { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } } }
      : {}),
  };
}
