import { queryOptions } from "@tanstack/react-query";
import type { VersionDetail, VersionSummary } from "#protocol/agents/version";
import type { KnowledgeList } from "#protocol/knowledge";
import type { PageEnvelope } from "#protocol/paging";
import type { ToolList } from "#protocol/tools";
import { ask } from "../../api/request.js";
import { agentKey, agentPath } from "../agent-queries.js";
import type { NamesById } from "./difference.js";

export type VersionPage = PageEnvelope & { versions: VersionSummary[] };

/** Where an agent's versions are stored in the page. */
export const versionsKey = (agentId: string) => [...agentKey(agentId), "versions"] as const;

/** A version with its configuration; it never changes. */
export const versionQuery = (agentId: string, versionNumber: number) =>
  queryOptions({
    queryKey: [...agentKey(agentId), "version", versionNumber],
    queryFn: () => ask<VersionDetail>("GET", agentPath(agentId, `/versions/${versionNumber}`)),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What tools and knowledge sources are called: the newest hundred of each. */
export const namesQuery = queryOptions({
  queryKey: ["names of tools and knowledge sources"],
  queryFn: async (): Promise<NamesById> => {
    const [{ tools }, { knowledge_sources: sources }] = await Promise.all([
      ask<ToolList>("GET", "/v1/agent/tools?page_size=100"),
      ask<KnowledgeList>("GET", "/v1/agent/knowledge-sources?page_size=100"),
    ]);
    return new Map([
      ...tools.map(({ tool_id, name }) => [tool_id, name] as const),
      ...sources.map(({ knowledge_source_id, name }) => [knowledge_source_id, name] as const),
    ]);
  },
});
