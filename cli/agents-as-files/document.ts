import { createHash } from "node:crypto";
import { z } from "zod";

/** Kinds of records that are kept as files, in the order in which they are pushed: later ones refer to earlier ones. */
export const recordKinds = ["tools", "tests", "agents"] as const;
export type RecordKind = (typeof recordKinds)[number];

/** What a file says about a record: its fields as the API has them, without those that the service gives it. */
export type RecordDocument = Record<string, unknown>;

/** A record on the service. */
export interface ServerRecord {
  id: string;
  document: RecordDocument;
}

/** What the service gives to records, and what only it knows. */
const servicesOwn = new Set([
  "tool_id",
  "test_id",
  "agent_id",
  "agent_ids",
  "workspace_id",
  "status",
  "publication_state",
  "config_hash",
  "used_by",
  "created_at",
  "updated_at",
]);

/** The document of a record as the API answers it. */
export function documentOf(entity: object): RecordDocument {
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !servicesOwn.has(name)));
}

/** Equal for documents that say the same, whatever the order of their fields. */
export function hashOf(document: RecordDocument): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(document)))
    .digest("hex");
}

/**
 * The document with every reference to a tool changed by `translate`: an agent's `tool_ids`, and the `id` of each tool
 * that a test names.
 */
export function withToolReferences(document: RecordDocument, translate: (reference: string) => string): RecordDocument {
  return changed(document, translate) as RecordDocument;
}

function changed(value: unknown, translate: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => changed(item, translate));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    if (name === "tool_ids" && Array.isArray(inner)) return [name, inner.map((id) => translate(String(id)))];
    if (name === "id" && typeof inner === "string") return [name, translate(inner)];
    return [name, changed(inner, translate)];
  });
  return Object.fromEntries(entries);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** What both sides last agreed on: which record a file is, and the hashes of the file and of the record by then. */
const syncedRecord = z.object({ id: z.string(), file: z.string(), server: z.string() });
export type SyncedRecord = z.output<typeof syncedRecord>;

const syncedRecords = z.record(z.string(), syncedRecord);
/** By file name, of one service. */
export const syncState = z.object({
  tools: syncedRecords.default({}),
  tests: syncedRecords.default({}),
  agents: syncedRecords.default({}),
});
export type SyncState = z.output<typeof syncState>;

/** The name under which the record with this id lies in the folder; null for one that does not. */
export function fileNameOf(state: SyncState, kind: RecordKind, id: string): string | null {
  return Object.entries(state[kind]).find(([, synced]) => synced.id === id)?.[0] ?? null;
}
