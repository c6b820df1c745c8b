import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

/** What Parley keeps in a folder of its own, below the data directory. */
export type FolderName = "database" | "nats" | "redis" | "livekit" | "analytics";

/** What is known of one kind of folder. */
export interface FolderKind {
  /** Raised whenever an older release could not use the folder any more. */
  format: number;
  /** In messages. */
  content: string;
  /** Without any one of these, a part of what was kept is missing. Paths below the folder. */
  essential: readonly string[];
  /** What is written anew at every start, and tells nothing about what is kept. */
  written: readonly string[];
  /** Whether a folder without a stamp, with these entries, was made by a release that knew no stamps. */
  isEarlier(entries: readonly string[]): boolean;
  /** What else keeps this release from using the folder, in words; null when nothing does. */
  problem?(path: string): string | null;
}

/** The major version of Postgres that PGlite is made of. */
const POSTGRES_MAJOR = "18";

export const folderKinds: Readonly<Record<FolderName, FolderKind>> = {
  database: {
    format: 1,
    content: "the embedded database",
    essential: ["PG_VERSION", "base", "global/pg_control", "pg_wal"],
    written: [],
    isEarlier: (entries) => ["PG_VERSION", "base", "global", "pg_wal"].some((name) => entries.includes(name)),
    problem(path) {
      const version = readFileSync(join(path, "PG_VERSION"), "utf8").trim();
      return version === POSTGRES_MAJOR
        ? null
        : `it was written by Postgres ${version.slice(0, 16)}, and this release reads those of Postgres ${POSTGRES_MAJOR}`;
    },
  },
  nats: {
    format: 1,
    content: "what JetStream stores: voice samples, uploads, usage on its way",
    // nats-server puts a folder of this name below the one that it is given.
    essential: ["jetstream/jetstream"],
    written: ["nats.conf"],
    isEarlier: (entries) => entries.every((entry) => entry === "jetstream"),
    problem: unreadableStream,
  },
  redis: { format: 1, content: "what Redis needs", essential: [], written: ["redis.conf"], isEarlier: () => false },
  livekit: {
    format: 1,
    content: "the key of the LiveKit server",
    essential: [],
    written: ["livekit.yaml"],
    isEarlier: () => false,
  },
  analytics: {
    format: 1,
    content: "the embedded analytics engine's tables",
    essential: [],
    written: [],
    isEarlier: (entries) => ["store", "metadata", "data", "status"].some((name) => entries.includes(name)),
  },
};

/**
 * nats-server leaves out a stream whose description it cannot read, says so in its log only, and an empty one would be
 * made in its place.
 */
function unreadableStream(path: string): string | null {
  const store = join(path, "jetstream/jetstream");
  for (const account of readdirSync(store)) {
    const streams = join(store, account, "streams");
    for (const name of existsSync(streams) ? readdirSync(streams) : []) {
      if (isMadeAgain(join(streams, name))) continue;
      try {
        JSON.parse(readFileSync(join(streams, name, "meta.inf"), "utf8"));
      } catch (error) {
        return `the description of its stream ${name} cannot be read (${error instanceof Error ? error.message : String(error)})`;
      }
    }
  }
  return null;
}

/**
 * Whether the server makes a stream anew in its place when somebody asks for it, and nothing is lost: its description is
 * empty, since the disk was full when it was made, and either nothing was ever stored in it or it is an object store. The
 * server finds an object store's content again; of other streams the places of their consumers would be lost.
 */
function isMadeAgain(stream: string): boolean {
  const [description, messages] = [join(stream, "meta.inf"), join(stream, "msgs")];
  if (existsSync(description) && statSync(description).size > 0) return false;
  if (existsSync(description) && basename(stream).startsWith("OBJ_")) return true;
  return !existsSync(messages) || readdirSync(messages).every((file) => statSync(join(messages, file)).size === 0);
}
