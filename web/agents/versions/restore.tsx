import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ConfigEntity } from "#protocol/agents/config";
import { ask } from "../../api/request.js";
import { ConfirmDialog } from "../../parts/confirm-dialog.js";
import { agentPath, storeDraft } from "../agent-queries.js";

/** Makes the draft what a version froze. */
export function Restore({ agentId, versionNumber }: { agentId: string; versionNumber: number }) {
  const [isAsking, setIsAsking] = useState(false);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<ConfigEntity>("POST", agentPath(agentId, `/versions/${versionNumber}/restore`)),
    onSuccess: (draft) => {
      storeDraft(queries, draft);
      setIsAsking(false);
    },
  });
  return (
    <>
      <Button className="button quiet" onPress={() => setIsAsking(true)}>
        Restore version {versionNumber}
      </Button>
      <ConfirmDialog
        title={`Restore version ${versionNumber}?`}
        text="The draft becomes what this version is, and what the draft is now is gone. Sessions see it once you publish."
        action="Restore"
        isOpen={isAsking}
        isPending={isPending}
        error={error}
        onConfirm={() => mutate()}
        onClose={() => setIsAsking(false)}
      />
    </>
  );
}
