import { CommandError } from "../command.js";
import type { PublicApi } from "../public-api.js";
import { decidePush, type PushStep, refuseConflicts } from "./decision.js";
import {
  hashOf,
  type RecordDocument,
  type RecordKind,
  recordKinds,
  type SyncState,
  withToolReferences,
} from "./document.js";
import { type Folder, LOCK_FILE } from "./folder.js";
import { createRecord, readRecord, updateRecord } from "./records.js";

/** What a push did, or would do, with one file. */
export interface PushedFile {
  kind: RecordKind;
  name: string;
  step: PushStep;
}

/**
 * Brings what changed in the folder to the service. Changes nothing where any file conflicts. What a push wrote before
 * it failed is in the lock file: the next one goes on. Throws CommandError.
 */
export async function pushFolder(
  api: PublicApi,
  folder: Folder,
  { force, dryRun }: { force: boolean; dryRun: boolean },
): Promise<PushedFile[]> {
  const documents = await folder.readDocuments();
  const state = await folder.readState();
  const planned: (PushedFile & { document: RecordDocument })[] = [];
  for (const kind of recordKinds)
    for (const [name, document] of Object.entries(documents[kind])) {
      const synced = state[kind][name] ?? null;
      const record = synced === null ? null : await readRecord(api, kind, synced.id);
      const server = record === null ? null : hashOf(record.document);
      const step = decidePush({ file: hashOf(document), server, synced }, force);
      planned.push({ kind, name, step, document });
    }
  if (planned.length === 0) throw new CommandError("there are no files in agents/, tools/ or tests/ here");
  refuseConflicts(planned, "changed or deleted on the service since the last pull, and here too");
  if (!dryRun)
    for (const file of planned)
      await push(api, folder, state, file).catch((cause: unknown) => {
        if (!(cause instanceof CommandError)) throw cause;
        throw new CommandError(`${file.kind}/${file.name}.yaml: ${cause.message}`, cause.exitCode, { cause });
      });
  return planned.map(({ kind, name, step }) => ({ kind, name, step }));
}

async function push(
  api: PublicApi,
  folder: Folder,
  state: SyncState,
  { kind, name, step, document }: PushedFile & { document: RecordDocument },
): Promise<void> {
  if (step === "unchanged") return;
  const resolved = withIds(state, document);
  let id = state[kind][name]?.id;
  if (step === "create" || id === undefined) id = await createRecord(api, kind, resolved);
  else await updateRecord(api, kind, id, resolved);
  const record = await readRecord(api, kind, id);
  if (record === null) throw new CommandError("it was deleted on the service while it was pushed");
  state[kind][name] = { id, file: hashOf(document), server: hashOf(record.document) };
  await folder.writeState(state);
}

/** The document with the service's ids where it names files. */
function withIds(state: SyncState, document: RecordDocument): RecordDocument {
  const resolved = withToolReferences(document, (reference) => state.tools[reference]?.id ?? reference);
  const { tests } = document;
  if (!Array.isArray(tests)) return resolved;
  const ids = tests.map((name) => {
    const id = state.tests[String(name)]?.id;
    if (id === undefined) throw new CommandError(`it names the test ${name}, which is not in ${LOCK_FILE}`);
    return id;
  });
  return { ...resolved, tests: ids };
}
