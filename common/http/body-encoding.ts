import { randomUUID } from "node:crypto";
import { decodeMsgpack, MAX_NESTING, MAX_VALUES } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";
import { scanJson } from "./json-scan.js";

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

/** A body that is to be decoded. */
export interface EncodedBody {
  encoding: BodyEncoding;
  bytes: Uint8Array;
  /**
   * Names of the fields that carry files; in JSON, where they are base64 or lists of numbers, they become byte arrays.
   * None when absent.
   */
  fileFields?: readonly string[];
}

/** Decodes a body on the calling thread; `decodeBody` is for the event loop. Throws what it throws. */
export function decodeBodyHere({ encoding, bytes, fileFields = [] }: EncodedBody): unknown {
  try {
    return encoding === "json" ? decodeJson(bytes, fileFields) : decodeMsgpack(bytes, MAX_VALUES);
  } catch (cause) {
    throw new ServiceError(encoding === "json" ? "malformed_json" : "malformed_msgpack", { cause });
  }
}

/** Parses JSON. Files in it (`scanJson`) become byte arrays, without ever having been strings or lists. */
function decodeJson(bytes: Uint8Array, fileFields: readonly string[]): unknown {
  const files = scanJson(bytes, { depth: MAX_NESTING, values: MAX_VALUES }, fileFields);
  if (files.length === 0) return JSON.parse(utf8.decode(bytes));
  // The mark cannot be guessed: no string of the sender's is taken for one.
  const mark = `${randomUUID()}:`;
  const parts: string[] = [];
  let end = 0;
  for (const [index, file] of files.entries()) {
    parts.push(utf8.decode(bytes.subarray(end, file.start)), `"${mark}${index}"`);
    end = file.end;
  }
  parts.push(utf8.decode(bytes.subarray(end)));
  return JSON.parse(parts.join(""), (_name, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? files[Number(value.slice(mark.length))]?.bytes : value,
  );
}
