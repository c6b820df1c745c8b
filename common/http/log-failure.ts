import type { ServiceError } from "#protocol/errors";
import type { Logger } from "../log.js";

/** Where a failure showed: the route's pattern, and what else finds it again. Nothing that a stranger chose. */
export type FailureFacts = Readonly<Record<string, string | number>>;

/**
 * Logs the answer to a failure on our side; the caller's own mistakes (4xx) are not logged.
 *  - `internal` is a fault of ours that nobody foresaw: an error, with its stack.
 *  - What may pass, or an engine's failure, is a warning in one line.
 *  - What this server lacks by its configuration (a phone provider, a conversation runtime) is its ordinary answer:
 *    information.
 */
export function logFailure(log: Logger, error: ServiceError, facts: FailureFacts): void {
  const { code, status, message, cause, retryable } = error;
  if (status < 500) return;
  if (code === "internal") {
    log.error({ err: cause ?? error, code, status, ...facts }, "a request failed");
    return;
  }
  const line = { code, status, refusal: message, ...(cause === undefined ? {} : { cause: oneLine(cause) }), ...facts };
  const text = `a request was refused: ${code}`;
  if (retryable || status === 500) log.warn(line, text);
  else log.info(line, text);
}

function oneLine(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return text.replace(/\s+/g, " ").slice(0, 300);
}
