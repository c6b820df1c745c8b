import { z } from "zod";
import { pageEnvelope, pageQuery } from "./paging.js";
import { recordText } from "./text.js";

/** Largest text of one knowledge source, in bytes of UTF-8. */
export const MAX_KNOWLEDGE_BYTES = 1024 * 1024;
const timestamp = z.iso.datetime();

const knowledgeSourceSummary = z.object({
  knowledge_source_id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  file_name: z.string(),
  size_bytes: z.int(),
  chunk_count: z.int(),
  /**
   * Grows by one whenever the content is replaced; published agents keep the one that was current when they were
   * published.
   */
  revision_number: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type KnowledgeSourceSummary = z.infer<typeof knowledgeSourceSummary>;

export const knowledgeSourceEntity = knowledgeSourceSummary.extend({ content: z.string() });
export type KnowledgeSourceEntity = z.infer<typeof knowledgeSourceEntity>;

/** Query of `GET /v1/agent/knowledge-sources`. */
export const knowledgeListQuery = pageQuery.extend({ search: z.string().optional() });
export type KnowledgeListQuery = z.infer<typeof knowledgeListQuery>;
export const knowledgeList = pageEnvelope.extend({ knowledge_sources: z.array(knowledgeSourceSummary) });
export type KnowledgeList = z.infer<typeof knowledgeList>;

const name = recordText(1, 256);
const description = recordText(0, 2000);
/** The file's bytes, as the form gave them. */
export const sourceBytes = z.instanceof(Uint8Array);

/** Form of `POST /v1/agent/knowledge-sources`; without a name the file's name stands. */
export const knowledgeCreate = z.strictObject({
  source: sourceBytes,
  name: name.optional(),
  description: description.default(""),
});
export type KnowledgeCreate = z.infer<typeof knowledgeCreate>;
/** Form of `PATCH /v1/agent/knowledge-sources/{source_id}`: what is absent keeps its value. */
export const knowledgePatch = z.strictObject({
  source: sourceBytes.optional(),
  name: name.optional(),
  description: description.optional(),
});
export type KnowledgePatch = z.infer<typeof knowledgePatch>;

/** Sources that one search looks into at most. */
const MAX_SEARCHED_SOURCES = 100;

/** Body of `POST /v1/agent/knowledge-sources/search`. */
export const knowledgeSearchRequest = z.strictObject({
  query: recordText(1, 2000),
  knowledge_source_ids: z.array(recordText(1, 128)).min(1).max(MAX_SEARCHED_SOURCES),
  limit: z.int().min(1).max(20).default(5),
});

/** What was found, the best first; nothing where no passage shares a word with the query. */
export const knowledgeSearchResult = z.object({
  passages: z.array(
    z.object({
      knowledge_source_id: z.string(),
      source_name: z.string(),
      heading: z.string(),
      content: z.string(),
      /** Larger is better; comparable within one answer only. */
      score: z.number(),
    }),
  ),
});
export type KnowledgeSearchResult = z.infer<typeof knowledgeSearchResult>;
