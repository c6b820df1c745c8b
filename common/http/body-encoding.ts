import { decodeMsgpack, MAX_NESTING } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";

/** Encodings of structured bodies. */
export type BodyEncoding = "json" | "msgpack";

const encodingByMediaType: Readonly<Record<string, BodyEncoding>> = {
  "application/json": "json",
  "application/msgpack": "msgpack",
  "application/x-msgpack": "msgpack",
  "application/vnd.msgpack": "msgpack",
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The encoding that a `content-type` header announces; null when it is absent or none of ours. */
export function bodyEncoding(contentType: string | undefined): BodyEncoding | null {
  const [mediaType = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const encoding = encodingByMediaType[mediaType] ?? null;
  // RFC 8259 section 8.1: JSON between systems is UTF-8. Another charset would be read as the wrong text.
  const charset = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (encoding === "json" && charset !== undefined && charset !== "utf-8" && charset !== "utf8") return null;
  return encoding;
}

/**
 * Decodes a whole body. The value is a stranger's: validate it before use.
 * Throws `malformed_json` and `malformed_msgpack` for what cannot be decoded or nests deeper than `MAX_NESTING`.
 */
export function decodeBody(encoding: BodyEncoding, bytes: Uint8Array): unknown {
  return encoding === "json" ? decodeJson(bytes) : decodePacked(bytes);
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
