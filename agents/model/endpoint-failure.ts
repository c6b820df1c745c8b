import { OutboundError } from "#common/outbound/outbound-error";

/** One attempt to get an answer failed. It holds nothing that was sent or received, and so names no cause. */
export class EndpointFailure extends Error {
  override readonly name = "EndpointFailure";

  constructor(
    message: string,
    /** Whether another attempt may fare better. */
    readonly isRetryable: boolean,
  ) {
    super(message);
  }
}

/** Answers of an endpoint that may be different the next time. */
const retryableStatuses = new Set([408, 409, 429]);

export function failureOfStatus(status: number): EndpointFailure {
  return new EndpointFailure(
    `the endpoint answered with status ${status}`,
    retryableStatuses.has(status) || status >= 500,
  );
}

/** What went wrong, in words that may be shown and logged; null where the cause is none of the network's. */
export function failureOfConnection(error: unknown): EndpointFailure | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof OutboundError)) continue;
    if (cause.refused) return new EndpointFailure(`the endpoint must not be called: ${cause.message}`, false);
    return new EndpointFailure(`the endpoint failed: ${cause.message}`, true);
  }
  return null;
}
