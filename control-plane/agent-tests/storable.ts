import { storableText } from "../sessions/log-items.js";

/**
 * A copy of plain data without what Postgres's JSON cannot hold: U+0000 and halves of surrogate pairs become U+FFFD.
 * What models and tools write is anybody's text. Pure.
 */
export function storable<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [storableText(key), copy(entry)]));
}
