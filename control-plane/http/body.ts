import { decodeBody } from "#common/http/body-decoder";
import { bodyEncoding } from "#common/http/body-encoding";
import type { Form } from "#common/multipart/form";
import { isMultipart, type MultipartLimits, parseMultipart } from "#common/multipart/multipart";
import { parseUrlencoded } from "#common/multipart/urlencoded";
import { ServiceError } from "#protocol/errors";
import type { RouteRequest } from "./route.js";

/** A body in one of the four encodings: a form, or a structured value (a stranger's, to be validated). */
export type DecodedBody = { kind: "form"; form: Form } | { kind: "value"; value: unknown };

/**
 * Reads a body that may come as multipart, urlencoded, JSON or MessagePack. `fileFields` are those that carry files in
 * JSON (`decodeBody`). Throws `unsupported_media_type` for another content type or an empty body, and the `malformed_*`
 * and size errors of the encodings.
 */
export async function readAnyBody(
  request: RouteRequest,
  limits: MultipartLimits,
  fileFields: readonly string[],
): Promise<DecodedBody> {
  const contentType = request.headers["content-type"];
  const encoding = bodyEncoding(contentType);
  const multipart = isMultipart(contentType);
  const urlencoded = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? "");
  if (encoding === null && !multipart && !urlencoded) throw new ServiceError("unsupported_media_type");
  const bytes = await request.body();
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  if (bytes.byteLength > limits.totalBytes)
    throw new ServiceError("payload_too_large", { parameters: { limitBytes: limits.totalBytes } });
  if (multipart) return { kind: "form", form: await parseMultipart(contentType ?? "", bytes, limits) };
  if (urlencoded) return { kind: "form", form: parseUrlencoded(bytes, limits.fields) };
  return { kind: "value", value: encoding === null ? null : await decodeBody({ encoding, bytes, fileFields }) };
}
