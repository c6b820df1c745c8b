import { mkdirSync } from "node:fs";
import { z } from "zod";
import { ServiceError } from "#protocol/errors";
import { PRIVATE_FOLDER } from "#common/files/durable-file";
import type { AnalyticsEngine } from "./engine.js";

interface Result {
  text(): string;
}

/** The part of the package's session that is used; declared here, since the package may not be installed. */
interface Session {
  queryAsync(text: string, options: { format: string }): Promise<Result>;
  queryBindAsync(text: string, parameters: object, options: { format: string }): Promise<Result>;
  insert(options: {
    table: string;
    values: Buffer;
    format: "JSONEachRow";
    settings: Record<string, string | number>;
  }): Promise<unknown>;
  close(): void;
}

const chdbModule = z.object({
  Session: z.custom<new (path: string) => Session>((value) => typeof value === "function"),
});

/**
 * ClickHouse's engine in this process, its data in `directory`; null when the optional package is not installed.
 * One process at a time may have the directory open: throws `dependency_unavailable` while another one does.
 */
export async function chdbEngine(directory: string): Promise<AnalyticsEngine | null> {
  const loaded = await loadPackage();
  if (loaded === null) return null;
  mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER });
  const session = await attempt(async () => new loaded.Session(directory));
  // The engine's threads can hold up the end of a process for ever when it exits in the middle of a statement, and
  // nobody would start it anew.
  const dieAtOnce = (): void => void process.kill(process.pid, "SIGKILL");
  process.once("exit", dieAtOnce);
  return {
    name: "chdb",
    command: (statement) => attempt(async () => void (await session.queryAsync(statement, { format: "CSV" }))),
    insert: (table, rows, token) =>
      attempt(async () => {
        const values = Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));
        await session.insert({
          table,
          values,
          format: "JSONEachRow",
          settings: { insert_deduplication_token: token, insert_deduplicate: 1 },
        });
      }),
    query: (text, parameters) =>
      attempt(async () => {
        const result = await session.queryBindAsync(text, parameters, { format: "JSONEachRow" });
        const lines = result
          .text()
          .split("\n")
          .filter((line) => line !== "");
        return lines.map((line) => JSON.parse(line) as unknown);
      }),
    close: async () => {
      session.close();
      process.off("exit", dieAtOnce);
    },
  };
}

/** Whether the optional package is there. */
export async function chdbIsInstalled(): Promise<boolean> {
  return (await loadPackage()) !== null;
}

async function loadPackage(): Promise<z.infer<typeof chdbModule> | null> {
  // Not a literal: the compiler must not ask for a package that may be missing.
  const name: string = "chdb";
  try {
    return chdbModule.parse(await import(name));
  } catch (error) {
    // Neither the package nor, on a platform that it has none for, its library.
    if (error instanceof Error && "code" in error && /MODULE_NOT_FOUND/.test(String(error.code))) return null;
    throw error;
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The analytics engine" }, cause });
  }
}
