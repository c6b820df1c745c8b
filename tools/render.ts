import type { HeaderList } from "#common/outbound/request-headers";
import { isHeaderValue, type SystemVariable, systemVariables, type ToolMethod } from "#protocol/tools";
import { fillBody } from "./body-template.js";
import type { ToolDefinition } from "./definition.js";
import { asText, fill, type Lookup, parseTemplate, type TemplateValue } from "./template.js";
import { fillUrl } from "./url-template.js";

/** Longest text of one argument; a model that writes more has lost its way. */
export const MAX_ARGUMENT_CHARACTERS = 10_000;
/** Longest request, all templates together: a few repeated placeholders must not make a huge one. */
const MAX_FILLED_CHARACTERS = 1_000_000;

/** What is needed of a tool to call it: its definition, and its credentials in the clear by lower-case header name. */
export interface CallableTool {
  definition: ToolDefinition;
  credentials: Readonly<Record<string, string>>;
}

/** Values of the system variables; those that are absent render empty. */
export type SystemValues = Partial<Record<SystemVariable, string>>;

/** A request to a tool's endpoint, ready for `Outbound`. */
export interface RenderedRequest {
  method: ToolMethod;
  url: string;
  headers: HeaderList;
  body: Uint8Array | null;
}

/** Why a tool cannot be called with these arguments. Told to the model, which may try again. */
export interface RenderFailure {
  problem: "argument_too_long" | "request_too_long" | "value_leaves_path" | "value_not_allowed_in_header";
  message: string;
}

export type Rendering = { ok: true; request: RenderedRequest } | { ok: false; failure: RenderFailure };

/**
 * Fills a webhook tool's templates. Only declared arguments and `system.*` are looked up; whatever else the model made
 * up is dropped. Credentials are sent exactly as stored and are never filled, nor within reach of a placeholder. GET
 * requests and tools without a body template send no body. Pure.
 */
export function renderToolRequest(
  tool: CallableTool,
  given: Readonly<Record<string, unknown>>,
  system: SystemValues,
): Rendering {
  const lookup = lookupOf(tool.definition, given, system);
  const tooLong = refuseLong(tool.definition, [tool.definition.url], lookup);
  if (tooLong !== null) return tooLong;
  const url = fillUrl(tool.definition.url, lookup);
  if (url === null) return failure("value_leaves_path", "An argument would lead out of the URL's path");
  return withHeadersAndBody(tool, url, lookup);
}

/**
 * The same for a URL that stands already: the test request of the tool editor sends it as it was saved.
 */
export function renderTestRequest(
  tool: CallableTool,
  given: Readonly<Record<string, unknown>>,
  url: string,
): Rendering {
  const nested = given["system"];
  const system = typeof nested === "object" && nested !== null ? (nested as Readonly<Record<string, unknown>>) : {};
  const texts = systemVariables.map(
    (name) => [name, asText(Object.hasOwn(system, name) ? (system[name] as TemplateValue) : undefined)] as const,
  );
  const lookup = lookupOf(tool.definition, given, Object.fromEntries(texts));
  return refuseLong(tool.definition, [], lookup) ?? withHeadersAndBody(tool, url, lookup);
}

function refuseLong(definition: ToolDefinition, more: readonly string[], lookup: Lookup): Rendering | null {
  const lengths = new Map(definition.arguments.map(({ name }) => [name, asText(lookup(name)).length]));
  if ([...lengths.values()].some((length) => length > MAX_ARGUMENT_CHARACTERS)) {
    return failure("argument_too_long", `An argument has more than ${MAX_ARGUMENT_CHARACTERS} characters`);
  }
  const templates = [...more, definition.body_template, ...definition.headers.map(({ value }) => value ?? "")];
  const filled = templates
    .flatMap(parseTemplate)
    .reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : lengthOf(part.name)), 0);
  return filled > MAX_FILLED_CHARACTERS
    ? failure("request_too_long", `The request would have more than ${MAX_FILLED_CHARACTERS} characters`)
    : null;

  function lengthOf(name: string): number {
    return lengths.get(name) ?? asText(lookup(name)).length;
  }
}

function lookupOf(definition: ToolDefinition, given: Readonly<Record<string, unknown>>, system: SystemValues): Lookup {
  const declared = new Set(definition.arguments.map(({ name }) => name));
  return (name) => {
    if (name.startsWith("system.")) return system[name.slice(7) as SystemVariable] ?? "";
    return declared.has(name) && Object.hasOwn(given, name) ? (given[name] as TemplateValue) : undefined;
  };
}

function withHeadersAndBody(tool: CallableTool, url: string, lookup: Lookup): Rendering {
  const { method, content_type: contentType, body_template: template } = tool.definition;
  const headers = tool.definition.headers.flatMap(({ name, value }): [string, string][] => {
    const text = value === null ? tool.credentials[name.toLowerCase()] : fill(value, lookup, (filled) => filled);
    // A credential that was dropped is not sent.
    return text === undefined ? [] : [[name, text]];
  });
  if (!headers.every(([, value]) => isHeaderValue(value))) {
    return failure("value_not_allowed_in_header", "An argument has characters that no header can carry");
  }
  const body = method === "GET" || template === "" ? null : Buffer.from(fillBody(template, contentType, lookup));
  const declares = headers.some(([name]) => name.toLowerCase() === "content-type");
  if (body !== null && contentType !== "" && !declares) headers.push(["Content-Type", contentType]);
  return { ok: true, request: { method, url, headers, body } };
}

function failure(problem: RenderFailure["problem"], message: string): Rendering {
  return { ok: false, failure: { problem, message } };
}
