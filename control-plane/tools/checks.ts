import { isAllowedHeader } from "#common/outbound/request-headers";
import type { Problem } from "#protocol/errors";
import {
  clientToolName,
  MAX_BACKGROUND_TIMEOUT_SECONDS,
  MAX_TOOL_TIMEOUT_SECONDS,
  systemVariables,
  type ToolType,
} from "#protocol/tools";
import type { ToolDefinition } from "#tools/definition";
import { placeholderNames } from "#tools/template";
import { placesNoAuthority } from "#tools/url-template";

const systemNames = new Set(systemVariables.map((name) => `system.${name}`));

const problem = (loc: (string | number)[], msg: string, type = "value_error"): Problem => ({
  type,
  loc: ["body", ...loc],
  msg,
});

/**
 * What is wrong with a tool as a whole: rules that look at more than one field. None of the findings repeats what was
 * sent.
 */
export function toolProblems(toolType: ToolType, name: string, definition: ToolDefinition): Problem[] {
  return [
    ...(toolType === "webhook" ? webhookProblems(definition) : otherProblems(toolType, name, definition)),
    ...integrationProblems(toolType, definition),
    ...timeoutProblems(toolType, definition),
    ...repeated(definition.arguments.map((argument) => argument.name)).map((index) =>
      problem(["arguments", index, "name"], "Argument names must be unique"),
    ),
    ...repeated(definition.headers.map((header) => header.name.toLowerCase())).map((index) =>
      problem(["headers", index, "name"], "Header names must be unique"),
    ),
  ];
}

function webhookProblems(definition: ToolDefinition): Problem[] {
  const { url, headers, body_template: body } = definition;
  const declared = new Set(definition.arguments.map((argument) => argument.name));
  const placeholders = (template: string, loc: (string | number)[]): Problem[] =>
    placeholderNames(template).every((name) => declared.has(name) || systemNames.has(name))
      ? []
      : [problem(loc, "A placeholder names neither a declared argument nor a system variable")];
  return [
    ...(url === "" ? [problem(["url"], "Webhook tools need a URL")] : []),
    ...(url === "" || placesNoAuthority(url)
      ? []
      : [
          problem(
            ["url"],
            "The URL must begin with http:// or https:// and may have placeholders in its path and query only",
          ),
        ]),
    ...placeholders(url, ["url"]),
    ...placeholders(body, ["body_template"]),
    ...headers.flatMap(({ name, value }, index) => [
      ...(isAllowedHeader(name, "") ? [] : [problem(["headers", index, "name"], "This header cannot be set")]),
      ...(value === null ? [] : placeholders(value, ["headers", index, "value"])),
    ]),
  ];
}

function otherProblems(toolType: ToolType, name: string, definition: ToolDefinition): Problem[] {
  const filled = [
    ...(definition.url === "" ? [] : ["url"]),
    ...(definition.body_template === "" ? [] : ["body_template"]),
    ...(definition.headers.length === 0 ? [] : ["headers"]),
  ];
  return [
    ...(toolType === "client" && !clientToolName.test(name)
      ? [
          problem(
            ["name"],
            "Client tool names begin with a letter and have at most 64 letters, digits, _ and -",
            "string_pattern_mismatch",
          ),
        ]
      : []),
    ...filled.map((field) => problem([field], "Only webhook tools have this")),
    ...(definition.execution_mode === "blocking"
      ? []
      : [problem(["execution_mode"], "Only webhook tools have execution modes")]),
  ];
}

function integrationProblems(toolType: ToolType, { integration }: ToolDefinition): Problem[] {
  if (toolType === "integration" && integration === null)
    return [problem(["integration"], "Field required", "missing")];
  return toolType !== "integration" && integration !== null
    ? [problem(["integration"], "Only integration tools have this")]
    : [];
}

function timeoutProblems(toolType: ToolType, definition: ToolDefinition): Problem[] {
  const isBackground = toolType === "webhook" && definition.execution_mode === "background";
  const maximum = isBackground ? MAX_BACKGROUND_TIMEOUT_SECONDS : MAX_TOOL_TIMEOUT_SECONDS;
  if (definition.timeout_seconds <= maximum) return [];
  const msg = `Input should be less than or equal to ${maximum}`;
  return [{ ...problem(["timeout_seconds"], msg, "less_than_equal"), ctx: { le: maximum } }];
}

/** Indexes of the values that an earlier one equals. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
