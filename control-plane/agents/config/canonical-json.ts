/**
 * JSON in which equal values have equal text: keys sorted by their UTF-16 units, no spaces, numbers as ECMAScript
 * prints them (RFC 8785, JSON Canonicalization Scheme). The value must be plain JSON without lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
