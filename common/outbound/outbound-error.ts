/** Why a request was not sent: rules of the guard, which hold whatever the network does. */
const refusalReasons = [
  "invalid_url",
  "url_too_long",
  "unsupported_scheme",
  "embedded_credentials",
  "forbidden_port",
  "private_host",
  "private_address",
  "forbidden_header",
] as const;

/** Why a request that was allowed came to nothing. */
const failureReasons = [
  "unresolvable",
  "dns_timeout",
  "connect_failed",
  "tls_failed",
  "timeout",
  "connection_lost",
  "bad_response",
  "response_too_large",
  "too_many_redirects",
  "cancelled",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];
export type FailureReason = (typeof failureReasons)[number];

const messages: Readonly<Record<RefusalReason | FailureReason, string>> = {
  invalid_url: "This is not a valid URL",
  url_too_long: "The URL is too long",
  unsupported_scheme: "Only http and https URLs are allowed",
  embedded_credentials: "A URL must not carry a user name or password",
  forbidden_port: "This port is not allowed",
  private_host: "This host name is not public, and PARLEY_OUTBOUND_ALLOW of the server does not name it",
  private_address:
    "The host does not resolve to public addresses only, and PARLEY_OUTBOUND_ALLOW of the server does not name it",
  forbidden_header: "A request header is not allowed",
  unresolvable: "The host name could not be resolved",
  dns_timeout: "The host name was not resolved in time",
  connect_failed: "The host could not be reached",
  tls_failed: "A secure connection could not be made",
  timeout: "There was no complete answer in time",
  connection_lost: "The connection was lost before the answer was complete",
  bad_response: "The answer is not valid HTTP",
  response_too_large: "The answer is too large",
  too_many_redirects: "There were too many redirects",
  cancelled: "The request was cancelled",
};

/** What `Outbound` throws. The message names neither addresses nor the URL: it may be shown to whoever gave the URL. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly reason: RefusalReason | FailureReason;

  constructor(reason: RefusalReason | FailureReason, options: { cause?: unknown } = {}) {
    super(messages[reason], options);
    this.reason = reason;
  }

  /** True when the guard said no, so that trying again is useless while the URL and its DNS stay as they are. */
  get refused(): boolean {
    return refusalReasons.some((reason) => reason === this.reason);
  }
}
