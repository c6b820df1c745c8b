import { queryOptions } from "@tanstack/react-query";
import type { KnowledgeSourceEntity } from "#protocol/knowledge";
import { ask } from "../../api/request.js";

/** Where the team's knowledge sources are made and listed. */
export const KNOWLEDGE = "/v1/agent/knowledge-sources";

/** Where lists of knowledge sources are stored in the page. */
export const knowledgeKey = ["knowledge"] as const;

export const sourcePath = (sourceId: string): string => `${KNOWLEDGE}/${encodeURIComponent(sourceId)}`;

/** A source with its text. */
export const sourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: [...knowledgeKey, "source", sourceId],
    queryFn: () => ask<KnowledgeSourceEntity>("GET", sourcePath(sourceId)),
  });
