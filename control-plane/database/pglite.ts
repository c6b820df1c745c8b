import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { ServiceError } from "#protocol/errors";
import { claimFolder, damaged, openDataDirectory } from "#common/data-directory/data-directory";
import { takeLock } from "#common/files/file-lock";
import { copyDatabase } from "./copy-database.js";
import { createDatabase } from "./create-database.js";
import type { Database, Db } from "./database.js";
import { isShort, requireRoom } from "./disk-room.js";
import type { StatementReply, StatementRequest, StatementRows } from "./pglite-message.js";
import * as schema from "./schema.js";

/**
 * Opens the embedded database of a data directory, creating it on first use (3 to 5 s; a later start takes half a
 * second). Throws LockedError while another process has it open, DataDirectoryError where its folder holds something
 * else, not all of it or what the engine cannot open, and DiskRoomError on a full disk.
 */
export async function openPglite(dataDirectory: string): Promise<Database> {
  const owner = openDataDirectory(dataDirectory);
  const release = takeLock(join(dataDirectory, "database.lock"));
  try {
    const { path: directory, isMade, stamp } = claimFolder(owner, "database");
    requireRoom(directory, isMade);
    if (!isMade) await createDatabase(directory, stamp);
    const client = await PgliteThread.start(directory).catch((error: Error) => {
      throw damaged(directory, "database", error);
    });
    return {
      // drizzle calls nothing of a PGlite but `query` and `transaction`.
      db: drizzle({ client: client as unknown as PGlite, schema }) as unknown as Db,
      engine: "pglite",
      requireRoom: () => {
        if (isShort(directory)) throw new ServiceError("disk_full");
      },
      copyTo: (folder) => client.whileStill(() => copyDatabase(directory, folder)),
      close: async () => {
        await client.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

interface QueryShape {
  rowMode?: "array" | "object";
}

type Run = (text: string, parameters?: unknown[], shape?: QueryShape) => Promise<StatementRows>;

/** A failed statement, with its SQLSTATE. */
class StatementError extends Error {
  override readonly name = "StatementError";
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

/** The database thread as drizzle's PGlite driver calls it. */
class PgliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (rows: StatementRows) => void; reject: (error: unknown) => void }>();
  #sequence = 0;
  #closing = false;
  #lastWords = "its thread is gone";
  /** Ends when the last holder of the connection is done: whole transactions take turns with single statements. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (reply: StatementReply) => this.#settle(reply));
    worker.on("exit", () => {
      const gone = new ServiceError("dependency_unavailable", { parameters: { dependency: "The database" } });
      for (const { reject } of this.#waiting.values()) reject(gone);
      this.#waiting.clear();
      // Nothing here works without its database: the process ends and is started again.
      if (!this.#closing) throw new Error(`the database ended: ${this.#lastWords}`);
    });
  }

  static async start(directory: string): Promise<PgliteThread> {
    const worker = new Worker(new URL("./pglite-thread.js", import.meta.url), { workerData: directory });
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.once("error", reject);
    });
    return new PgliteThread(worker);
  }

  /** One statement by itself. */
  query(text: string, parameters: unknown[] = [], shape: QueryShape = {}): Promise<StatementRows> {
    return this.#inTurn(() => this.#run(text, parameters, shape));
  }

  /** Statements that hold the connection together; rolls back when `work` rejects. */
  transaction<T>(work: (transaction: { query: Run }) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const query: Run = (text, parameters = [], shape = {}) => this.#run(text, parameters, shape);
      await query("BEGIN");
      try {
        const result = await work({ query });
        await query("COMMIT");
        return result;
      } catch (error) {
        await query("ROLLBACK");
        throw error;
      }
    });
  }

  /** Does `work` between two transactions, while the files hold all that was written. */
  whileStill(work: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#run("CHECKPOINT", [], {});
      await work();
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      this.#closing = true;
      await this.#send(null);
    });
    await this.#worker.terminate();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #run(text: string, parameters: unknown[], shape: QueryShape): Promise<StatementRows> {
    return this.#send({ text, parameters, rowMode: shape.rowMode ?? "object" });
  }

  #send(query: StatementRequest["query"]): Promise<StatementRows> {
    const id = ++this.#sequence;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, query } satisfies StatementRequest);
    });
  }

  #settle(reply: StatementReply): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.ok) waiter?.resolve(reply.result);
    else waiter?.reject(new StatementError(reply.message, reply.code));
    if (!reply.ok && reply.isLast) this.#lastWords = reply.message;
  }
}
