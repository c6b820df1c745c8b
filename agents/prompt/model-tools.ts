import type { ConversationPlan } from "#protocol/bus/conversation";
import { typedPlaceholders } from "#tools/body-template";
import type { ToolDefinition } from "#tools/definition";
import type { ModelTool } from "../model/language-model.js";
import { namedTools } from "../tools/named-tools.js";

const hangUpDescription =
  "Ends the call. Use it when the caller has said goodbye or wants to end the call, after you have taken leave in the same reply.";

/** The functions that the model may call in a conversation. Pure. */
export function modelTools(plan: ConversationPlan): ModelTool[] {
  return [...namedTools(plan).values()].map((named) => {
    if (named.kind === "builtin")
      return { name: named.name, description: hangUpDescription, parameters: { type: "object", properties: {} } };
    const { name, tool, definition } = named;
    return { name, description: definition.description || tool.name, parameters: parametersOf(definition) };
  });
}

/** Arguments are text, save those that a JSON body takes with their own type. */
function parametersOf(definition: ToolDefinition): object {
  const typed = typedPlaceholders(definition.body_template, definition.content_type);
  return {
    type: "object",
    properties: Object.fromEntries(
      definition.arguments.map(({ name, description }) => [
        name,
        { type: typed.has(name) ? ["string", "number", "boolean"] : "string", description },
      ]),
    ),
    required: definition.arguments.map(({ name }) => name),
  };
}
