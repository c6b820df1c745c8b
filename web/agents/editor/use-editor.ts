import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ConfigEntity } from "#protocol/agents/config";
import { type ConfigPatch, configPatch } from "#protocol/agents/config-patch";
import { ask, type Problem } from "../../api/request.js";
import { agentPath, storeDraft } from "../agent-queries.js";
import { isBelow, problemsOfValue, refusedFields } from "../problems.js";
import { countFields, type DraftValues, patchOf, valuesOf, withValueAt } from "./draft-values.js";
import type { Editor } from "./editor.js";

interface Edit {
  /** The draft as it was when the editing began: others may save meanwhile, and what they changed stays. */
  base: DraftValues;
  values: DraftValues;
}

interface EditorState extends Editor {
  /** Fields that differ from what is stored. */
  unsavedFields: number;
  isSaving: boolean;
  /** Counts tries that were refused; the page shows the first problem at each. */
  refusals: number;
  error: unknown;
  save: () => void;
  discard: () => void;
}

const unchanged: ConfigPatch = {};

/** An edit of the draft, from the first change until it is saved or discarded. */
export function useEditor(config: ConfigEntity): EditorState {
  const queries = useQueryClient();
  const [edit, setEdit] = useState<Edit | null>(null);
  const [refused, setRefused] = useState<readonly Problem[]>([]);
  const [refusals, setRefusals] = useState(0);
  const patch = edit === null ? unchanged : patchOf(edit.base, edit.values);
  const found = refusals === 0 ? [] : problemsOfValue(configPatch, patch);

  const end = (): void => {
    setEdit(null);
    setRefused([]);
    setRefusals(0);
  };
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => ask<ConfigEntity>("PATCH", agentPath(config.agent_id, "/config"), patch),
    onSuccess: (stored) => {
      storeDraft(queries, stored);
      end();
    },
    onError: (failure) => {
      setRefused(refusedFields(failure));
      setRefusals((count) => count + 1);
    },
  });
  return {
    values: edit?.values ?? valuesOf(config),
    problems: [...found, ...refused],
    unsavedFields: countFields(patch),
    isSaving: isPending,
    refusals,
    error,
    change: (path, value) => {
      setEdit((before) => {
        const base = before?.base ?? valuesOf(config);
        return { base, values: withValueAt(before?.values ?? base, path, value) };
      });
      setRefused((before) => before.filter((problem) => !isBelow(problem.path, path)));
    },
    save: () => {
      if (edit === null) return;
      if (problemsOfValue(configPatch, patch).length === 0) mutate();
      else setRefusals((count) => count + 1);
    },
    discard: () => {
      end();
      reset();
    },
  };
}
