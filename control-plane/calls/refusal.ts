import { type ErrorCode, ServiceError, type ServiceErrorOptions } from "#protocol/errors";

/** A refusal of a call, whose code callers read as its `reason`. */
export function refusal(code: ErrorCode, options: Omit<ServiceErrorOptions, "reason"> = {}): ServiceError {
  return new ServiceError(code, { ...options, reason: code });
}

/** Does `work`; where it is refused with one of these codes the refusal has the reason that belongs to it. */
export async function withReasons<T>(
  reasons: Partial<Record<ErrorCode, (error: ServiceError) => ServiceError>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ServiceError ? (reasons[error.code]?.(error) ?? error) : error;
  }
}
