import { decodeMsgpack, MAX_NESTING } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";
import type { HttpRequest } from "./exchange.js";

/** Encodings that a route may accept for its body. */
export type BodyEncoding = "json" | "msgpack";

const encodingByMediaType: Readonly<Record<string, BodyEncoding>> = {
  "application/json": "json",
  "application/msgpack": "msgpack",
  "application/x-msgpack": "msgpack",
  "application/vnd.msgpack": "msgpack",
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads and decodes a request's body. The value is a stranger's: pass it to `validate` before use. Byte arrays in it belong to the caller.
 * Throws `unsupported_media_type` for a missing body or an encoding not in `accept`, `payload_too_large` past `limitBytes`,
 * `malformed_json` and `malformed_msgpack` for what cannot be decoded or nests deeper than `MAX_NESTING`.
 */
export async function readBody(request: HttpRequest, limitBytes: number, accept: readonly BodyEncoding[]): Promise<unknown> {
  const encoding = bodyEncoding(request.header("content-type"));
  if (encoding === null || !accept.includes(encoding)) throw new ServiceError("unsupported_media_type");
  const bytes = await request.body(limitBytes);
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  return encoding === "json" ? decodeJson(bytes) : decodePacked(bytes);
}

/** The encoding that a `content-type` header announces; null when it is absent or none of ours. */
export function bodyEncoding(contentType: string | undefined): BodyEncoding | null {
  const [mediaType = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const encoding = encodingByMediaType[mediaType] ?? null;
  // RFC 8259 section 8.1: JSON between systems is UTF-8. Another charset would be read as the wrong text.
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8).replaceAll('"', "");
  if (encoding === "json" && charset !== undefined && charset !== "utf-8" && charset !== "utf8") return null;
  return encoding;
}

function decodeJson(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    if (nestsDeeper(value, MAX_NESTING)) throw new RangeError("nested too deep");
    return value;
  } catch (cause) {
    throw new ServiceError("malformed_json", { cause });
  }
}

function decodePacked(bytes: Uint8Array): unknown {
  try {
    return decodeMsgpack(bytes);
  } catch (cause) {
    throw new ServiceError("malformed_msgpack", { cause });
  }
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => nestsDeeper(item, levels - 1));
}
