import { ServiceError } from "#protocol/errors";
import { decodeBody } from "#common/http/body-decoder";
import { type BodyEncoding, bodyEncoding } from "#common/http/body-encoding";
import type { HttpRequest } from "./exchange.js";

/**
 * Reads and decodes a request's body. The value is a stranger's: pass it to `validate` before use. Byte arrays in it
 * belong to the caller; in JSON, the fields in `fileFields` have them (`decodeBody`). Throws `unsupported_media_type`
 * for a missing body or an encoding not in `accept`, `payload_too_large` past the route's bound, `malformed_json` and
 * `malformed_msgpack` for what cannot be decoded or nests deeper than `MAX_NESTING`.
 */
export async function readBody(
  request: HttpRequest,
  accept: readonly BodyEncoding[],
  fileFields: readonly string[] = [],
): Promise<unknown> {
  const encoding = bodyEncoding(request.header("content-type"));
  if (encoding === null || !accept.includes(encoding)) throw new ServiceError("unsupported_media_type");
  const bytes = await request.body();
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  return await decodeBody({ encoding, bytes, fileFields });
}
