import type { ToolEntity, ToolHeader, ToolSummary } from "#protocol/tools";
import type { ToolRow } from "./table.js";

/** A tool as lists show it. */
export function toSummary(row: ToolRow, usedBy: number): ToolSummary {
  const { description, method, url } = row.definition;
  return {
    tool_id: row.id,
    workspace_id: row.teamId,
    name: row.name,
    description,
    tool_type: row.toolType,
    method,
    url,
    used_by: usedBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** A whole tool, without its secrets. */
export function toEntity(row: ToolRow, usedBy: number): ToolEntity {
  const { definition } = row;
  return {
    ...toSummary(row, usedBy),
    arguments: definition.arguments,
    content_type: definition.content_type,
    body_template: definition.body_template,
    headers: definition.headers.map(({ name, kind, value }): ToolHeader => {
      return { name, kind, value, has_secret: Object.hasOwn(row.secrets, name.toLowerCase()) };
    }),
    timeout_seconds: definition.timeout_seconds,
    error_handling: definition.error_handling,
    mock_responses: definition.mock_responses,
    expects_response: definition.expects_response,
    execution_mode: definition.execution_mode,
    ...(definition.integration === null ? {} : { integration: definition.integration }),
  };
}
