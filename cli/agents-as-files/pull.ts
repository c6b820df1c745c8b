import type { PublicApi } from "../public-api.js";
import { decidePull, type PullStep, refuseConflicts } from "./decision.js";
import {
  fileNameOf,
  hashOf,
  type RecordDocument,
  type RecordKind,
  type ServerRecord,
  type SyncState,
  withToolReferences,
} from "./document.js";
import type { Folder, FolderDocuments } from "./folder.js";
import { readRecord } from "./records.js";

/** What a pull did with one file. */
export interface PulledFile {
  kind: RecordKind;
  name: string;
  step: PullStep;
}

/**
 * Writes these agents, their tools and their tests into the folder. Writes nothing where any file conflicts. Throws
 * CommandError.
 */
export async function pullAgents(
  api: PublicApi,
  folder: Folder,
  agentIds: readonly string[],
  { force }: { force: boolean },
): Promise<PulledFile[]> {
  const records = await readRecords(api, agentIds);
  const documents = await folder.readDocuments();
  const state = await folder.readState();
  const planned = records.map(({ kind, record }) => {
    const known = fileNameOf(state, kind, record.id);
    const name = known ?? freeName(String(record.document["name"]), kind, documents, state);
    const synced = state[kind][name] ?? null;
    const document = documents[kind][name];
    const sides = { file: document === undefined ? null : hashOf(document), server: hashOf(record.document), synced };
    // Taken from now on, whatever becomes of it.
    state[kind][name] = synced ?? { id: record.id, file: "", server: "" };
    return { kind, name, record, step: decidePull(sides, force) };
  });
  refuseConflicts(planned, "changed here since the last push, and on the service too");
  for (const { kind, name, record, step } of planned) {
    if (step === "unchanged") continue;
    const document = withNames(state, record.document);
    await folder.writeDocument(kind, name, document);
    state[kind][name] = { id: record.id, file: hashOf(document), server: hashOf(record.document) };
  }
  await folder.writeState(state);
  return planned.map(({ kind, name, step }) => ({ kind, name, step }));
}

/** The agents with their tools and tests, each record once, in the order of `recordKinds`. */
async function readRecords(
  api: PublicApi,
  agentIds: readonly string[],
): Promise<{ kind: RecordKind; record: ServerRecord }[]> {
  const agents = await readAll(api, "agents", agentIds);
  const tests = await readAll(
    api,
    "tests",
    agents.flatMap(({ document }) => document["tests"] as string[]),
  );
  const tools = await readAll(
    api,
    "tools",
    [...agents, ...tests].flatMap(({ document }) => toolsOf(document)),
  );
  const all = { tools, tests, agents };
  return (["tools", "tests", "agents"] as const).flatMap((kind) => all[kind].map((record) => ({ kind, record })));
}

/** Those that the service has: a test may name tools of the platform, or of another server. */
async function readAll(api: PublicApi, kind: RecordKind, ids: readonly string[]): Promise<ServerRecord[]> {
  const found: ServerRecord[] = [];
  for (const id of new Set(ids)) {
    const record = await readRecord(api, kind, encodeURIComponent(id));
    if (record !== null) found.push({ ...record, id });
  }
  return found;
}

function toolsOf(document: RecordDocument): string[] {
  const ids: string[] = [];
  withToolReferences(document, (id) => {
    ids.push(id);
    return id;
  });
  return ids;
}

/** The document with the names of files in place of the ids of what is in the folder. */
function withNames(state: SyncState, document: RecordDocument): RecordDocument {
  const named = withToolReferences(document, (id) => fileNameOf(state, "tools", id) ?? id);
  const { tests } = document;
  if (!Array.isArray(tests)) return named;
  return { ...named, tests: tests.map((id: string) => fileNameOf(state, "tests", id) ?? id) };
}

/** A file name for a new record: its name in letters that every file system has, with a number where that is taken. */
function freeName(name: string, kind: RecordKind, documents: FolderDocuments, state: SyncState): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "")
    .join("-")
    .slice(0, 60);
  const base = plain === "" ? kind.slice(0, -1) : plain;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? base : `${base}-${count}`;
    if (!(candidate in documents[kind]) && !(candidate in state[kind])) return candidate;
  }
}
