import { toolHopsHeader } from "#protocol/tools";
import { OutboundError } from "./outbound-error.js";

/** Headers that decide where a message begins and ends or whom it is for: the client sets these itself. */
const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);

/**
 * Headers that describe the body or the answer, and are no secret of the host that they were meant for; and the count
 * of rounds.
 */
const kept = new Set(["accept", "accept-language", "content-type", "user-agent", toolHopsHeader]);

const MAX_HEADER_BYTES = 16 * 1024;
/** RFC 9110 section 5.6.2. */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** RFC 9110 section 5.5, without the obsolete folding: nothing that could end the line. */
const valuePattern = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Name and value pairs, in the order in which they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Whether one header may be given by a caller. */
export function isAllowedHeader(name: string, value: string): boolean {
  return namePattern.test(name) && valuePattern.test(value) && !reserved.has(name.toLowerCase());
}

/**
 * Gives the headers as they go out. Throws `forbidden_header` when one would change the message's frame or its
 * addressee.
 */
export function checkHeaders(headers: HeaderList): HeaderList {
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (bytes > MAX_HEADER_BYTES || !headers.every(([name, value]) => isAllowedHeader(name, value)))
    throw new OutboundError("forbidden_header");
  return headers;
}

/** What still goes along when a redirect leads to another origin: nothing that could be a credential. */
export function headersForOtherOrigin(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => kept.has(name.toLowerCase()));
}
