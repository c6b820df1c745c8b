import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type ToolEntity, toolCreate, toolPatch } from "#protocol/tools";
import { ask, type Problem } from "../../api/request.js";
import { FailureNote } from "../../shell/failure-note.js";
import { changesOf, countFields, type DraftValues, withValueAt } from "../editor/draft-values.js";
import { LeaveDialog } from "../editor/leave-dialog.js";
import { SaveBar } from "../editor/save-bar.js";
import { isBelow, problemsOfValue, refusedFields } from "../problems.js";
import { ToolFields } from "./tool-fields.js";
import { toolPath, toolQuery, toolsKey } from "./tool-queries.js";
import { creationOf, newTool, toolValues } from "./tool-values.js";

/** All fields of a tool; null for one that is still to be made. */
export function ToolForm({ agentId, tool }: { agentId: string; tool: ToolEntity | null }) {
  const base = tool === null ? newTool : toolValues(tool);
  const [edited, setEdited] = useState<DraftValues | null>(null);
  const [refused, setRefused] = useState<readonly Problem[]>([]);
  const [refusals, setRefusals] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const values = edited ?? base;
  const changes = changesOf(base, values) ?? {};
  const [schema, body] = tool === null ? ([toolCreate, creationOf(values)] as const) : ([toolPatch, changes] as const);
  const found = problemsOfValue(schema, body);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      tool === null
        ? ask<ToolEntity>("POST", "/v1/agent/tools", body)
        : ask<ToolEntity>("PATCH", toolPath(tool.tool_id), body),
    onSuccess: async (saved) => {
      queries.setQueryData(toolQuery(saved.tool_id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: toolsKey });
      void queries.invalidateQueries({ queryKey: ["agent"] });
      setEdited(null);
      setRefusals(0);
      if (tool === null)
        await navigate({
          to: "/agents/$agentId/tools/$toolId",
          params: { agentId, toolId: saved.tool_id },
          ignoreBlocker: true,
        });
    },
    onError: (failure) => {
      setRefused(refusedFields(failure));
      setRefusals((count) => count + 1);
    },
  });
  useEffect(() => {
    if (refusals > 0) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const problems = [...(refusals === 0 ? [] : found), ...refused];
  const editor = {
    values,
    problems,
    change: (path: readonly string[], value: unknown): void => {
      setEdited((before) => withValueAt(before ?? base, path, value));
      setRefused((before) => before.filter((problem) => !isBelow(problem.path, path)));
    },
    unsavedFields: countFields(changes),
    isSaving: isPending,
    save: (): void => {
      if (tool !== null && edited === null) return;
      if (found.length === 0) mutate();
      else setRefusals((count) => count + 1);
    },
    discard: (): void => {
      setEdited(null);
      setRefused([]);
      setRefusals(0);
      reset();
    },
  };
  return (
    <div ref={place} className="group">
      <ToolFields editor={editor} isNew={tool === null} />
      {error === null || problems.length > 0 ? null : <FailureNote doing="The tool was not saved" error={error} />}
      <SaveBar editor={editor} noun="tool" />
      <LeaveDialog isBlocking={editor.unsavedFields > 0} />
    </div>
  );
}
