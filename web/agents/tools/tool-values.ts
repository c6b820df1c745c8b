import type { ToolCreate, ToolEntity, ToolType } from "#protocol/tools";
import { type DraftValues, isRecord } from "../editor/draft-values.js";

/** What a new tool begins with, in the order of its page. */
export const newTool: DraftValues = {
  tool_type: "webhook",
  name: "",
  description: "",
  arguments: [],
  method: "POST",
  url: "",
  content_type: "application/json",
  body_template: "",
  headers: [],
  timeout_seconds: 30,
  error_handling: "passthrough",
  execution_mode: "blocking",
  expects_response: true,
  mock_responses: [],
} satisfies Partial<Record<keyof ToolCreate, unknown>>;

/** What of a tool is its own. */
export function toolValues(tool: ToolEntity): DraftValues {
  const { tool_id: _, workspace_id: __, used_by: ___, created_at: ____, updated_at: _____, ...values } = tool;
  return values;
}

/** Fields that only tools of one type have; a new tool of another type is sent without them. */
const ownFields: Readonly<Record<string, ToolType>> = {
  url: "webhook",
  method: "webhook",
  content_type: "webhook",
  body_template: "webhook",
  headers: "webhook",
  execution_mode: "webhook",
  integration: "integration",
};

/** Whether tools of a type have a field. */
export function hasField(values: DraftValues, name: string): boolean {
  const owner = ownFields[name];
  return owner === undefined || owner === values["tool_type"];
}

/** The body that makes such a tool. */
export function creationOf(values: DraftValues): DraftValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => hasField(values, name)));
}

/** An argument as it was typed: a number, true, false or JSON counts as such, anything else is text. */
export function argumentValue(typed: string): unknown {
  try {
    const value: unknown = JSON.parse(typed);
    return typeof value === "string" ? typed : value;
  } catch {
    return typed;
  }
}

/** What a test request is sent with: what was typed for each argument, system variables in an object of their own. */
export function testArguments(typed: Readonly<Record<string, string>>): Record<string, unknown> {
  const entries = Object.entries(typed).filter(([, text]) => text !== "");
  const system = entries.filter(([name]) => name.startsWith(SYSTEM));
  const own = entries.filter(([name]) => !name.startsWith(SYSTEM));
  return {
    ...Object.fromEntries(own.map(([name, text]) => [name, argumentValue(text)])),
    ...(system.length === 0
      ? {}
      : { system: Object.fromEntries(system.map(([name, text]) => [name.slice(SYSTEM.length), text])) }),
  };
}

const SYSTEM = "system.";

/** The names that a test request may fill: declared arguments, and those system variables that the tool mentions. */
export function testNames(values: DraftValues, systemNames: readonly string[]): string[] {
  const declared = Array.isArray(values["arguments"]) ? values["arguments"] : [];
  const texts = JSON.stringify([values["body_template"], values["headers"]]);
  return [
    ...declared.flatMap((argument) => (isRecord(argument) ? [String(argument["name"])] : [])),
    ...systemNames.map((name) => `${SYSTEM}${name}`).filter((name) => texts.includes(name)),
  ];
}
