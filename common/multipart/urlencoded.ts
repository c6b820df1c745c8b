import { ServiceError } from "#protocol/errors";
import type { Form } from "./form.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses an `application/x-www-form-urlencoded` body (WHATWG URL section 5.1): every pair, in order.
 * Throws `malformed_multipart` for more than `maxFields` pairs and for bytes that are not UTF-8.
 */
export function parseUrlencoded(body: Uint8Array, maxFields: number): Form {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new ServiceError("malformed_multipart", { parameters: { detail: "the form is not UTF-8" }, cause });
  }
  // Counted before parsing: a megabyte of ampersands must not become a million pairs.
  if (countUpTo(text, "&", maxFields) > maxFields) {
    throw new ServiceError("malformed_multipart", { parameters: { detail: `more than ${maxFields} fields` } });
  }
  return { fields: [...new URLSearchParams(text)].map(([name, value]) => ({ name, value })), files: [] };
}

function countUpTo(text: string, separator: string, limit: number): number {
  let count = 1;
  for (let at = text.indexOf(separator); at >= 0 && count <= limit; at = text.indexOf(separator, at + 1)) count++;
  return count;
}
