import { DrizzleQueryError } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";

/**
 * Network failures, and SQLSTATE classes 08 (connection), 40 (deadlock, serialization), 53 (resources) and 57P
 * (shutting down, starting up).
 */
const unavailableCodes =
  /^(E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN)|08...|40001|40P01|53...|57P0[123])$/;
const unavailableMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** SQLSTATE for a disk without room (class 53, insufficient resources). */
const DISK_FULL = "53100";

/**
 * Whether an error says that the database cannot be reached, or cannot write, now, rather than that a query is wrong.
 */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && unavailableCodes.test(String(cause.code))) return true;
    if (unavailableMessages.test(cause.message)) return true;
    if (cause instanceof AggregateError && cause.errors.some(isUnavailable)) return true;
  }
  return false;
}

/** SQLSTATE for data or an index that is damaged, and for errors of the file system below the database. */
const corruptionCodes = /^(XX00[12]|58...)$/;

/** The database's own words for files that it cannot read; null for every other error. */
export function corruptionOf(error: unknown): Error | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && corruptionCodes.test(String(cause.code))) return cause;
  }
  return null;
}

/** Whether an error says that the disk of the database has no room. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && cause.code === DISK_FULL) return true;
  }
  return false;
}

/**
 * Gives the ServiceError for anything thrown: itself, `disk_full` where the database has no room,
 * `dependency_unavailable` where it is away, else `internal`. The cause is the database's own error: drizzle's wrapper
 * quotes the query's values, and those do not belong into a log.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (isDiskFull(error)) return new ServiceError("disk_full", { cause });
  if (isUnavailable(error))
    return new ServiceError("dependency_unavailable", { parameters: { dependency: "The database" }, cause });
  return new ServiceError("internal", { cause });
}
