import type { ToolDefinition } from "../definition.js";

/** A webhook tool's definition with the API's defaults. */
export function webhook(change: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    description: "",
    arguments: [],
    method: "POST",
    url: "https://api.example.com/orders",
    content_type: "application/json",
    body_template: "",
    headers: [],
    timeout_seconds: 30,
    error_handling: "passthrough",
    mock_responses: [],
    expects_response: true,
    execution_mode: "blocking",
    integration: null,
    ...change,
  };
}
