import type { ConversationPlan, ConversationTool } from "#protocol/bus/conversation";
import type { ToolDefinition } from "#tools/definition";
import { functionNames } from "#tools/function-name";

/** The system tool that ends the call. */
export const HANG_UP_TOOL = "hang_up_call";

/** The system tool that hands the caller over to somebody else. */
export const TRANSFER_TOOL = "transfer_call";

/** A tool of a conversation, by the function name that the model uses. */
export type NamedTool =
  | { kind: "builtin"; name: string }
  | { kind: "attached"; name: string; tool: ConversationTool; definition: ToolDefinition };

/**
 * The tools that an agent may use in a conversation, by function name, in the order of its configuration; none where
 * its tools are switched off. System tools have their names first, so that no other tool can take one. Pure.
 */
export function namedTools({ config, tools, call }: ConversationPlan): ReadonlyMap<string, NamedTool> {
  if (!config.tools.enabled) return new Map();
  const builtin = [
    ...(config.tools.system_tools.hang_up_call ? [HANG_UP_TOOL] : []),
    ...(call?.transfers === undefined ? [] : [TRANSFER_TOOL]),
  ];
  const names = functionNames([
    ...builtin.map((name) => ({ id: `system:${name}`, toolType: "client" as const, name })),
    ...tools,
  ]);
  return new Map<string, NamedTool>([
    ...builtin.map((name): [string, NamedTool] => [name, { kind: "builtin", name }]),
    ...tools.map((tool): [string, NamedTool] => {
      const name = names.get(tool.id) ?? tool.name;
      return [name, { kind: "attached", name, tool, definition: tool.definition as ToolDefinition }];
    }),
  ]);
}
