import type { ConversationPlan } from "#protocol/bus/conversation";
import { typedPlaceholders } from "#tools/body-template";
import type { ToolDefinition } from "#tools/definition";
import type { ModelTool } from "../model/language-model.js";
import { namedTools, TRANSFER_TOOL } from "../tools/named-tools.js";

const hangUpDescription =
  "Ends the call. Use it when the caller has said goodbye or wants to end the call, after you have taken leave in the same reply.";

/** The functions that the model may call in a conversation. Pure. */
export function modelTools(plan: ConversationPlan): ModelTool[] {
  return [...namedTools(plan).values()].map((named) => {
    if (named.kind === "builtin" && named.name === TRANSFER_TOOL) return transferFunction(plan);
    if (named.kind === "builtin")
      return { name: named.name, description: hangUpDescription, parameters: { type: "object", properties: {} } };
    const { name, tool, definition } = named;
    return { name, description: definition.description || tool.name, parameters: parametersOf(definition) };
  });
}

const transferDescription =
  "Transfers the caller to somebody else by phone. Use it when the caller asks for them, or needs what you cannot give. In the same reply, before the call, tell the caller to whom you connect them. When it fails, you learn why, and the caller is still with you.";

function transferFunction({ call }: ConversationPlan): ModelTool {
  const names = call?.transfers?.destinations.map(({ name }) => name) ?? [];
  return {
    name: TRANSFER_TOOL,
    description: transferDescription,
    parameters: {
      type: "object",
      properties: {
        destination: { type: "string", enum: names, description: "To whom." },
        summary: {
          type: "string",
          description: "Who calls and what they want, in one or two short sentences: whoever is called may hear it.",
        },
      },
      required: ["destination", "summary"],
    },
  };
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
