import type { Migration } from "./migration.js";

/** Knowledge sources, every revision of their text, and the passages that searches find. */
export const knowledge: Migration = {
  name: "0041-knowledge",
  statements: [
    `CREATE TABLE knowledge_sources (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      name text NOT NULL,
      description text NOT NULL,
      file_name text NOT NULL,
      search_folded text NOT NULL,
      size_bytes integer NOT NULL,
      chunk_count integer NOT NULL,
      revision_number integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX knowledge_sources_team ON knowledge_sources (team_id, created_at DESC, id DESC)",
    `CREATE TABLE knowledge_revisions (
      source_id text NOT NULL REFERENCES knowledge_sources (id) ON DELETE CASCADE,
      revision_number integer NOT NULL,
      content text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (source_id, revision_number)
    )`,
    `CREATE TABLE knowledge_chunks (
      source_id text NOT NULL,
      revision_number integer NOT NULL,
      position integer NOT NULL,
      heading text NOT NULL,
      content text NOT NULL,
      term_count integer NOT NULL,
      terms tsvector NOT NULL,
      PRIMARY KEY (source_id, revision_number, position),
      FOREIGN KEY (source_id, revision_number) REFERENCES knowledge_revisions (source_id, revision_number) ON DELETE CASCADE
    )`,
    "CREATE INDEX knowledge_chunks_terms ON knowledge_chunks USING gin (terms)",
  ],
};
