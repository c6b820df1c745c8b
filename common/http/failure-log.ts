import type { ErrorCode, ServiceError } from "#protocol/errors";
import type { Clock } from "../clock.js";
import type { Logger } from "../log.js";

/** Where a failure showed: the route's pattern, and what else finds it again. Nothing that a stranger chose. */
export type FailureFacts = Readonly<Record<string, string | number>>;

/** How long refusals with one code are counted before their number is logged. */
const COUNTED_MS = 10_000;

/** Logs the answers to failures on our side; the caller's own mistakes (4xx) are not logged. */
export class FailureLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Refusals since the one that was logged, by code; codes that are not in it were not refused lately. */
  readonly #counted = new Map<ErrorCode, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Logs one failure.
   *  - `internal` is a fault of ours that nobody foresaw: an error, with its stack.
   *  - What may pass, or an engine's failure, is a warning in one line. A full service refuses thousands of requests a
   *    second, so the first with a code is shown, the next ones only at level `debug`, and every ten seconds their
   *    number.
   *  - What this server lacks by its configuration (a phone provider, a conversation runtime) is its ordinary answer:
   *    information.
   */
  note(error: ServiceError, facts: FailureFacts): void {
    const { code, status, message, cause, retryable } = error;
    if (status < 500) return;
    if (code === "internal") {
      this.#log.error({ err: cause ?? error, code, status, ...facts }, "a request failed");
      return;
    }
    const line = {
      code,
      status,
      refusal: message,
      ...(cause === undefined ? {} : { cause: oneLine(cause) }),
      ...facts,
    };
    const text = `a request was refused: ${code}`;
    if (!retryable && status !== 500) this.#log.info(line, text);
    else if (this.#isNew(code)) this.#log.warn(line, text);
    else this.#log.debug(line, text);
  }

  /** Counts the refusal where one with its code was shown lately. */
  #isNew(code: ErrorCode): boolean {
    const counted = this.#counted.get(code);
    this.#counted.set(code, counted === undefined ? 0 : counted + 1);
    if (counted === undefined) this.#clock.after(COUNTED_MS, () => this.#report(code));
    return counted === undefined;
  }

  /** Goes on counting until ten seconds pass without a refusal. */
  #report(code: ErrorCode): void {
    const refused = this.#counted.get(code) ?? 0;
    if (refused === 0) {
      this.#counted.delete(code);
      return;
    }
    this.#counted.set(code, 0);
    const seconds = COUNTED_MS / 1000;
    this.#log.warn({ code, refused, seconds }, `${refused} more requests were refused in ${seconds} s: ${code}`);
    this.#clock.after(COUNTED_MS, () => this.#report(code));
  }
}

function oneLine(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return text.replace(/\s+/g, " ").slice(0, 300);
}
