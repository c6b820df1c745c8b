import { decodeBody } from "#common/http/body-decoder";
import { bodyEncoding } from "#common/http/body-encoding";
import { ServiceError } from "#protocol/errors";
import type { OpenRequest } from "./route.js";

/** Largest JSON body of a record. */
const MAX_JSON_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a JSON body; the value is a stranger's, to be validated.
 * Throws `unsupported_media_type` for another content type or no body, `payload_too_large` and `malformed_json`.
 */
export async function readJsonBody(request: OpenRequest): Promise<unknown> {
  if (bodyEncoding(request.headers["content-type"]) !== "json") throw new ServiceError("unsupported_media_type");
  const bytes = await request.body();
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  if (bytes.byteLength > MAX_JSON_BODY_BYTES)
    throw new ServiceError("payload_too_large", { parameters: { limitBytes: MAX_JSON_BODY_BYTES } });
  return await decodeBody({ encoding: "json", bytes });
}

/** As `readJsonBody`, where the body may be left out: then it is an empty object, whatever the content type. */
export async function readOptionalJsonBody(request: OpenRequest): Promise<unknown> {
  const bytes = await request.body();
  return bytes.byteLength === 0 ? {} : await readJsonBody(request);
}
