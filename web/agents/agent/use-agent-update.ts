import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AgentEntity, type AgentUpdate, agentUpdate } from "#protocol/agents/agent";
import { ask, type Problem } from "../../api/request.js";
import { agentPath, storeAgent } from "../agent-queries.js";
import { problemsOfValue, refusedFields } from "../problems.js";

interface SavedUpdate {
  /** Sends a change, unless the server's schema says that it would be refused. */
  save: (update: AgentUpdate) => void;
  /** Takes back what was said of the last try. */
  clear: () => void;
  isPending: boolean;
  isSaved: boolean;
  error: unknown;
  problems: readonly Problem[];
}

/** Changes of an agent's record; `onSaved` is called once one was stored. */
export function useAgentUpdate(agentId: string, onSaved?: () => void): SavedUpdate {
  const queries = useQueryClient();
  const [found, setFound] = useState<readonly Problem[]>([]);
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: (update: AgentUpdate) => ask<AgentEntity>("PATCH", agentPath(agentId), update),
    onSuccess: (agent) => {
      storeAgent(queries, agent);
      onSaved?.();
    },
  });
  return {
    save: (update) => {
      const problems = problemsOfValue(agentUpdate, update);
      setFound(problems);
      if (problems.length === 0) mutate(update);
      else reset();
    },
    clear: () => {
      setFound([]);
      reset();
    },
    isPending,
    isSaved: isSuccess,
    error,
    problems: [...found, ...refusedFields(error)],
  };
}
