import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ToolEntity } from "#protocol/tools";
import { ask } from "../../api/request.js";
import { ConfirmedButton } from "../../parts/confirmed-button.js";
import { toolPath, toolQuery, toolsKey } from "./tool-queries.js";

/** Deletes a tool that no draft has. */
export function ToolRemoval({ agentId, tool }: { agentId: string; tool: ToolEntity }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmedButton
      className="button danger"
      label="Delete this tool"
      title={`Delete ${tool.name}?`}
      text="Published versions keep their copy. A tool that a draft has must be taken off it first."
      action="Delete the tool"
      run={() => ask<void>("DELETE", toolPath(tool.tool_id))}
      onDone={async () => {
        await navigate({ to: "/agents/$agentId/tools", params: { agentId } });
        queries.removeQueries({ queryKey: toolQuery(tool.tool_id).queryKey });
        await queries.invalidateQueries({ queryKey: toolsKey });
      }}
    />
  );
}
