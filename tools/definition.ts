import type {
  ToolArgument,
  ToolErrorHandling,
  ToolExecutionMode,
  ToolHeaderKind,
  ToolMethod,
  ToolMockResponse,
} from "#protocol/tools";

/** A header as it is stored: the value of a credential is elsewhere, sealed. */
export interface StoredHeader {
  name: string;
  kind: ToolHeaderKind;
  /** Null for credentials. */
  value: string | null;
}

/** What a tool does, without its name and its secrets. The keys are those of the API. */
export interface ToolDefinition {
  description: string;
  arguments: ToolArgument[];
  method: ToolMethod;
  url: string;
  content_type: string;
  body_template: string;
  headers: StoredHeader[];
  timeout_seconds: number;
  error_handling: ToolErrorHandling;
  mock_responses: ToolMockResponse[];
  expects_response: boolean;
  execution_mode: ToolExecutionMode;
  /** `provider:action`, for integration tools only. */
  integration: string | null;
}
