import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { CommandError } from "../command.js";
import { type RecordDocument, type RecordKind, recordKinds, type SyncState, syncState } from "./document.js";

/** Beside the folders of records: what each file is on which service. Belongs into version control, like them. */
export const LOCK_FILE = "agents.lock.json";

const lockFile = z.record(z.string(), syncState);

/** The documents in a folder, by kind and file name without its ending. */
export type FolderDocuments = Record<RecordKind, Record<string, RecordDocument>>;

/** Agents, tools and tests as YAML files. */
export class Folder {
  readonly #path: string;
  readonly #baseUrl: string;

  /** `baseUrl` is of the service whose records the files are: each has ids of its own. */
  constructor(path: string, baseUrl: string) {
    this.#path = path;
    this.#baseUrl = baseUrl;
  }

  /** All files; none where a folder is missing. Throws CommandError for one that is no YAML object. */
  async readDocuments(): Promise<FolderDocuments> {
    const documents: FolderDocuments = { tools: {}, tests: {}, agents: {} };
    for (const kind of recordKinds)
      for (const file of (await readdirIfThere(join(this.#path, kind))).filter((name) => name.endsWith(".yaml")))
        documents[kind][basename(file, ".yaml")] = parseDocument(
          `${kind}/${file}`,
          await readFile(join(this.#path, kind, file), "utf8"),
        );
    return documents;
  }

  async writeDocument(kind: RecordKind, name: string, document: RecordDocument): Promise<void> {
    await mkdir(join(this.#path, kind), { recursive: true });
    await replaceFile(join(this.#path, kind, `${name}.yaml`), stringify(document, { lineWidth: 100 }));
  }

  async readState(): Promise<SyncState> {
    return (await this.#readLock())[this.#baseUrl] ?? syncState.parse({});
  }

  async writeState(state: SyncState): Promise<void> {
    const lock = { ...(await this.#readLock()), [this.#baseUrl]: state };
    await mkdir(this.#path, { recursive: true });
    await replaceFile(join(this.#path, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`);
  }

  async #readLock(): Promise<z.output<typeof lockFile>> {
    const path = join(this.#path, LOCK_FILE);
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "{}";
      throw error;
    });
    try {
      return lockFile.parse(JSON.parse(text));
    } catch (cause) {
      throw new CommandError(`${path} cannot be read; restore it, or delete it and pull anew`, undefined, { cause });
    }
  }
}

function parseDocument(path: string, text: string): RecordDocument {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new CommandError(`${path} is no YAML: ${(cause as Error).message.split("\n")[0]}`, undefined, { cause });
  }
  const document = z.record(z.string(), z.unknown()).safeParse(value);
  if (!document.success) throw new CommandError(`${path} should be a mapping of fields`);
  return document.data;
}

async function readdirIfThere(path: string): Promise<string[]> {
  return (
    await readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    })
  ).sort();
}

/** Never leaves half a file where there was a whole one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
