import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { usePages } from "../../api/pages.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentPath, draftQuery } from "../agent-queries.js";
import { Publish } from "./publish.js";
import { VersionList } from "./version-list.js";
import { type VersionPage, versionsKey } from "./version-queries.js";

/** The tab in which the draft is compared and published, and earlier versions come back. */
export function Versions() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const draft = useQuery(draftQuery(agentId));
  const pages = usePages<VersionPage>(versionsKey(agentId), agentPath(agentId, "/versions"));
  const error = draft.error ?? pages.error;
  const versions = pages.data?.pages.flatMap((page) => page.versions);
  return (
    <>
      {error === null ? null : <FailureNote doing="The versions cannot be read" error={error} />}
      {draft.data === undefined || versions === undefined ? null : (
        <>
          <Publish draft={draft.data} live={versions[0] ?? null} />
          <VersionList draft={draft.data} versions={versions} pages={pages} />
        </>
      )}
    </>
  );
}
