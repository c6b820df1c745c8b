import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ToolEntity } from "#protocol/tools";
import { ask } from "../../api/request.js";
import { ConfirmDialog } from "../../parts/confirm-dialog.js";
import { toolPath, toolQuery, toolsKey } from "./tool-queries.js";

/** Deletes a tool that no draft has. */
export function ToolRemoval({ agentId, tool }: { agentId: string; tool: ToolEntity }) {
  const [isAsking, setIsAsking] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<void>("DELETE", toolPath(tool.tool_id)),
    onSuccess: async () => {
      await navigate({ to: "/agents/$agentId/tools", params: { agentId } });
      queries.removeQueries({ queryKey: toolQuery(tool.tool_id).queryKey });
      await queries.invalidateQueries({ queryKey: toolsKey });
    },
  });
  return (
    <>
      <Button className="button danger" onPress={() => setIsAsking(true)}>
        Delete this tool
      </Button>
      <ConfirmDialog
        title={`Delete ${tool.name}?`}
        text="Published versions keep their copy. A tool that a draft has must be taken off it first."
        action="Delete the tool"
        isOpen={isAsking}
        isPending={isPending}
        error={error}
        onConfirm={() => mutate()}
        onClose={() => setIsAsking(false)}
      />
    </>
  );
}
