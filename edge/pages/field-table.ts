import type { JsonSchema } from "../openapi/schemas.js";
import { escapeHtml } from "./html.js";

/** A table behind a line that opens it. */
export function details(title: string, rows: string[][]): string {
  const lines = rows.map(([name = "", ...cells]) => {
    const rest = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("");
    return `<tr><td><code>${escapeHtml(name)}</code></td>${rest}</tr>`;
  });
  return `<details><summary>${escapeHtml(title)}</summary><table>${lines.join("")}</table></details>`;
}

/** One row for each field of what a schema describes. */
export function fieldRows(schema: JsonSchema): string[][] {
  const variants = (schema["oneOf"] ?? schema["anyOf"]) as JsonSchema[] | undefined;
  if (variants !== undefined) return variants.flatMap(fieldRows);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  return Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(([name, field]) => [
    name,
    describeType(field) || "text or number",
    required.has(name) ? "required" : "",
  ]);
}

/** A schema in words: "integer, 100 to 300, default 200". */
function describeType(schema: JsonSchema): string {
  const words = describeValues(schema);
  const { default: usual } = schema;
  const hasDefault = words !== "" && usual !== "" && ["string", "number", "boolean"].includes(typeof usual);
  return hasDefault ? `${words}, default ${JSON.stringify(usual)}` : words;
}

function describeValues(schema: JsonSchema): string {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["anyOf"])) return (schema["anyOf"] as JsonSchema[]).map(describeType).join(" or ");
  const { type, minimum, maximum, items, properties } = schema;
  if (typeof schema["description"] === "string") return schema["description"];
  if (type === "array") return `list of ${describeType((items as JsonSchema | undefined) ?? {}) || "values"}`;
  if (type === "object" && properties !== undefined) {
    return `{${Object.entries(properties as Record<string, JsonSchema>)
      .map(([name, field]) => `${name}: ${describeType(field)}`)
      .join("; ")}}`;
  }
  const range = [
    minimum === undefined ? "" : `${String(minimum)} to `,
    maximum === undefined ? "" : String(maximum),
  ].join("");
  return [String(type ?? ""), range].filter((part) => part !== "").join(", ");
}
