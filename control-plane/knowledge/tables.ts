import { customType, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/*
 * The tables as `0041-knowledge` creates them.
 */

export const knowledgeSources = pgTable("knowledge_sources", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  name: text("name").notNull(),
  description: text("description").notNull(),
  fileName: text("file_name").notNull(),
  /** Name and file name as searches compare them. */
  searchFolded: text("search_folded").notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  chunkCount: integer("chunk_count").notNull(),
  /** The newest revision, from 1. */
  revisionNumber: integer("revision_number").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export const knowledgeRevisions = pgTable(
  "knowledge_revisions",
  {
    sourceId: text("source_id").notNull(),
    revisionNumber: integer("revision_number").notNull(),
    content: text("content").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.revisionNumber] })],
);

export const knowledgeChunks = pgTable(
  "knowledge_chunks",
  {
    sourceId: text("source_id").notNull(),
    revisionNumber: integer("revision_number").notNull(),
    /** Place in the text, from 0. */
    position: integer("position").notNull(),
    /** Titles of the sections that the passage is in, outermost first. */
    heading: text("heading").notNull(),
    content: text("content").notNull(),
    /** How many terms, repeated ones counted each time. */
    termCount: integer("term_count").notNull(),
    /** The terms in the form of a tsvector literal; those of the headings have weight A. */
    terms: tsvector("terms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.revisionNumber, table.position] })],
);

export type SourceRow = typeof knowledgeSources.$inferSelect;
export type ChunkRow = typeof knowledgeChunks.$inferSelect;
