import { useQueryClient } from "@tanstack/react-query";
import type { ConfigEntity } from "#protocol/agents/config";
import { ask } from "../../api/request.js";
import { ConfirmedButton } from "../../parts/confirmed-button.js";
import { agentPath, storeDraft } from "../agent-queries.js";

/** Makes the draft what a version froze. */
export function Restore({ agentId, versionNumber }: { agentId: string; versionNumber: number }) {
  const queries = useQueryClient();
  return (
    <ConfirmedButton
      className="button quiet"
      label={`Restore version ${versionNumber}`}
      title={`Restore version ${versionNumber}?`}
      text="The draft becomes what this version is, and what the draft is now is gone. Sessions see it once you publish."
      action="Restore"
      run={() => ask<ConfigEntity>("POST", agentPath(agentId, `/versions/${versionNumber}/restore`))}
      onDone={(draft) => storeDraft(queries, draft)}
    />
  );
}
