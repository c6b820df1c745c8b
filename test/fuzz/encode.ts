import { encode } from "@msgpack/msgpack";
import { form, type Part } from "../knowledge/form.js";

export interface Encoded {
  contentType: string;
  body: Uint8Array;
}

/** The media types of bodies that this service knows, and one that it does not. */
export const knownMediaTypes = [
  "application/json",
  "application/msgpack",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
];

/** A value as a client of this media type sends it; bytes in it are `Uint8Array`. */
export function encodeBody(mediaType: string, value: unknown): Encoded {
  switch (mediaType) {
    case "application/json":
    // What LiveKit's server posts, which is JSON by another name.
    case "application/webhook+json":
      return { contentType: mediaType, body: Buffer.from(JSON.stringify(withBase64(value)) ?? "null") };
    case "application/msgpack":
      return { contentType: mediaType, body: encode(value, { useBigInt64: true }) };
    case "multipart/form-data":
      return form(...partsOf(value));
    case "application/x-www-form-urlencoded":
      return {
        contentType: mediaType,
        body: Buffer.from(
          new URLSearchParams(
            partsOf(value).map(([name, field]): [string, string] => [name, textOf(field)]),
          ).toString(),
        ),
      };
    default:
      throw new RangeError(`${mediaType} is sent by nobody here`);
  }
}

/** The value with its bytes and times as JSON carries them. */
export function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "bigint" || value instanceof Date) return String(value);
  if (Array.isArray(value)) return value.map(withBase64);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withBase64(field)]));
}

/** Lists are repeated parts, bytes files; what a form cannot hold goes as its JSON. */
function partsOf(value: unknown): Part[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array)
    return [["x", value instanceof Uint8Array ? value : String(value)]];
  return Object.entries(value).flatMap(([name, field]) =>
    [field].flat().map((item: unknown): Part => {
      const safeName = name.replace(/["\r\n]/g, "_");
      // Documents are told by their names, audio is not.
      return item instanceof Uint8Array
        ? [safeName, item, name === "source" ? "source.md" : `${safeName}.wav`]
        : [safeName, textOf(item)];
    }),
  );
}

function textOf(item: unknown): string {
  if (item instanceof Uint8Array) return Buffer.from(item).toString("base64");
  return typeof item === "object" && !(item instanceof Date) ? JSON.stringify(withBase64(item)) : String(item);
}
