import { useQuery } from "@tanstack/react-query";
import type { ConfigEntity } from "#protocol/agents/config";
import { FailureNote } from "../../shell/failure-note.js";
import { valuesOf } from "../editor/draft-values.js";
import { differencesOf } from "./difference.js";
import { DifferenceList } from "./difference-list.js";
import { namesQuery, versionQuery } from "./version-queries.js";

interface ComparisonProps {
  agentId: string;
  versionNumber: number;
  draft: ConfigEntity;
}

/** Where the draft differs from a version. */
export function Comparison({ agentId, versionNumber, draft }: ComparisonProps) {
  const version = useQuery(versionQuery(agentId, versionNumber));
  const names = useQuery(namesQuery);
  if (version.data === undefined)
    return version.error === null ? null : <FailureNote doing="The version cannot be read" error={version.error} />;
  const { config } = version.data;
  const differences = differencesOf(valuesOf(config), valuesOf(draft), names.data);
  if (config.config_hash === draft.config_hash) return <p>The draft is exactly version {versionNumber}.</p>;
  if (differences.length === 0)
    return (
      <p>
        The draft has the fields of version {versionNumber}. A secret, an attached tool or the text of an attached
        source was changed since.
      </p>
    );
  return (
    <>
      <p>
        From version {versionNumber} to the draft,{" "}
        {differences.length === 1 ? "one field" : `${differences.length} fields`} changed:
      </p>
      <DifferenceList differences={differences} />
    </>
  );
}
