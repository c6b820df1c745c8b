import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ConfigEntity } from "#protocol/agents/config";
import type { ConfigPatch } from "#protocol/agents/config-patch";
import { ask } from "../../api/request.js";
import { agentPath, storeDraft } from "../agent-queries.js";
import { knowledgeKey } from "../knowledge/knowledge-queries.js";
import { toolsKey } from "../tools/tool-queries.js";

/** Attaches things to an agent's draft and takes them off; `patchOf` says where their ids stand. */
export function useAttachment(agentId: string, patchOf: (ids: string[]) => ConfigPatch) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (ids: string[]) => ask<ConfigEntity>("PATCH", agentPath(agentId, "/config"), patchOf(ids)),
    onSuccess: async (draft) => {
      storeDraft(queries, draft);
      await queries.invalidateQueries({ queryKey: toolsKey });
      await queries.invalidateQueries({ queryKey: knowledgeKey });
    },
  });
  return {
    isPending,
    error,
    change: (attached: readonly string[], id: string, isOn: boolean): void =>
      mutate(isOn ? [...attached, id] : attached.filter((other) => other !== id)),
  };
}
