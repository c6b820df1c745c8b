import { useQuery } from "@tanstack/react-query";
import { FailureNote } from "../../shell/failure-note.js";
import { sourcePath, sourceQuery } from "./knowledge-queries.js";
import { SourceForm } from "./source-form.js";

/** Changes a source; another text becomes a new revision. */
export function EditSource({ sourceId, onClose }: { sourceId: string; onClose: () => void }) {
  const { data, error } = useQuery(sourceQuery(sourceId));
  if (data === undefined) return error === null ? null : <FailureNote doing="It cannot be read" error={error} />;
  return <SourceForm method="PATCH" path={sourcePath(sourceId)} stored={data} action="Save" onClose={onClose} />;
}
