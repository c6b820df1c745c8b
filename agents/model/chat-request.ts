import type { ModelMessage, ModelRequest } from "./language-model.js";

/** Fields of a request that are ours to set, whatever an agent's `llm_extra_body` says. */
const ownFields = new Set(["messages", "model", "stream", "tools"]);
/** What endpoints refuse where there are no tools. */
const fieldsOfTools = new Set(["tool_choice", "parallel_tool_calls"]);

/** The body of `POST /chat/completions` for a request. Pure. */
export function chatRequestBody(
  model: string,
  request: Pick<ModelRequest, "messages" | "tools">,
  extraBody: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> {
  const hasTools = request.tools.length > 0;
  const extra = Object.entries(extraBody ?? {}).filter(
    ([name]) => !ownFields.has(name) && (hasTools || !fieldsOfTools.has(name)),
  );
  return {
    ...Object.fromEntries(extra),
    model,
    messages: request.messages.map(chatMessage),
    stream: true,
    ...(hasTools ? { tools: request.tools.map((tool) => ({ type: "function", function: { ...tool } })) } : {}),
  };
}

function chatMessage(message: ModelMessage): object {
  switch (message.role) {
    case "assistant":
      if (message.toolCalls.length === 0) return { role: "assistant", content: message.content };
      return {
        role: "assistant",
        content: message.content === "" ? null : message.content,
        tool_calls: message.toolCalls.map((call) => ({
          id: call.callId,
          type: "function",
          function: { name: functionName(call.name), arguments: objectOrNone(call.arguments) },
        })),
      };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
    default:
      return { role: message.role, content: message.content };
  }
}

/** A name that the model made up comes back to it in the only form that endpoints take. */
function functionName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

/** Endpoints parse the arguments of earlier calls: broken ones would fail every later request. */
function objectOrNone(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? json : "{}";
  } catch {
    return "{}"; // SyntaxError: the model wrote no JSON, and was told so in the call's result
  }
}
