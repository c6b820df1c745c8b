import { errorCatalogue } from "#protocol/errors";
import { bracedPath, type Operation } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { type JsonSchema, requestSchema } from "../openapi/schemas.js";
import { escapeHtml, page } from "./html.js";

const introductions: Readonly<Record<Operation["tag"], string>> = {
  Speech: "Text in, speech out. Bodies are JSON or MessagePack with the same fields.",
  Transcription: "Audio in, text out. Bodies are forms or MessagePack.",
  Voices:
    "Saved voices. A voice made from samples takes over measured pitch, rate and tone of the sample; it does not copy the speaker.",
  Agents: "Voice agents as records: their drafts and published versions, tools, knowledge, tests and phone numbers.",
  Console: "Signing in to the pages at /console, with a cookie in place of the key.",
  Wallet: "What the account has left.",
  Keys: "The team's API keys. bin/parley keys makes the first one, and those of other teams.",
  Operation: "For those who run the service. No key is needed.",
};

/** The page at `/docs`. `baseUrl` is how the reader reached the service; the examples use it. */
export function documentationPage(baseUrl: string): string {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const cards = operations
      .filter((operation) => operation.tag === tag)
      .map((operation) => describeOperation(operation, baseUrl));
    return `<h2 id="${tag.toLowerCase()}">${tag}</h2><p class="soft">${escapeHtml(introductions[tag])}</p>${cards.join("")}`;
  });
  const head =
    `<h1>Parley: the interface</h1><p class="soft">Also as <a href="/openapi.json">OpenAPI 3.1</a>. Send your key as ` +
    `<code>Authorization: Bearer &lt;key&gt;</code>; the examples take it from <code>$PARLEY_API_KEY</code>.</p>` +
    `<nav>${tags.map((tag) => `<a href="#${tag.toLowerCase()}">${tag}</a>`).join("")}<a href="#errors">Errors</a></nav>`;
  return page("Parley: the interface", `${head}${sections.join("")}${errorSection()}`);
}

function describeOperation(operation: Operation, baseUrl: string): string {
  const { method, summary, description, headers = [], query, body, success } = operation;
  const parts = [
    `<h3><span class="verb">${method}</span><code>${escapeHtml(bracedPath(operation))}</code></h3>`,
    `<p><strong>${escapeHtml(summary)}.</strong> ${escapeHtml(description)}</p>`,
    `<pre><code>${escapeHtml(exampleCall(operation, baseUrl))}</code></pre>`,
  ];
  if (headers.length > 0)
    parts.push(
      details(
        "Headers",
        headers.map(({ name, description: text }) => [name, text]),
      ),
    );
  if (query !== undefined) parts.push(details("Query", fieldRows(requestSchema(query))));
  if (body !== undefined)
    parts.push(details(`Body: ${body.mediaTypes.join(", ")}`, fieldRows(requestSchema(body.schema))));
  const types = success.mediaTypes.length > 0 ? ` as ${escapeHtml(success.mediaTypes.join(", "))}` : "";
  parts.push(`<p class="soft">Answers ${success.status}${types}.</p>`);
  return `<section class="card">${parts.join("")}</section>`;
}

function exampleCall({ method, path, curl, scope }: Operation, baseUrl: string): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(`"${baseUrl}${examplePath(path)}"`);
  if (scope !== null) parts.push('-H "Authorization: Bearer $PARLEY_API_KEY"');
  if (curl !== "") parts.push(curl);
  return parts.join(" ");
}

/** A path with its placeholders as shell variables; the reader sets them. Of users only the caller himself is shown. */
export function examplePath(path: string): string {
  return path
    .replace(":user_id", "self")
    .replace(/:(\w+)/g, (_, name: string) => (name === "id" ? "$VOICE_ID" : `$${name.toUpperCase()}`));
}

function details(title: string, rows: string[][]): string {
  const lines = rows.map(([name = "", ...cells]) => {
    const rest = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("");
    return `<tr><td><code>${escapeHtml(name)}</code></td>${rest}</tr>`;
  });
  return `<details><summary>${escapeHtml(title)}</summary><table>${lines.join("")}</table></details>`;
}

function fieldRows(schema: JsonSchema): string[][] {
  const variants = (schema["oneOf"] ?? schema["anyOf"]) as JsonSchema[] | undefined;
  if (variants !== undefined) return variants.flatMap(fieldRows);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  return Object.entries(schema["properties"] as Record<string, JsonSchema>).map(([name, field]) => [
    name,
    describeType(field) || "text or number",
    required.has(name) ? "required" : "",
  ]);
}

/** A schema in words: "integer, 100 to 300". */
function describeType(schema: JsonSchema): string {
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

function errorSection(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, entry]: [string, { status: number; message: string; shape?: string }]) => [
      String(entry.status),
      entry.shape === "bare"
        ? "(no body)"
        : entry.shape === "problems"
          ? "A list of problems: type, loc, msg, ctx"
          : entry.message,
      code,
    ],
  );
  const lines = rows
    .toSorted((a, b) => Number(a[0]) - Number(b[0]))
    .map(
      ([status, message, code]) =>
        `<tr><td>${status}</td><td>${escapeHtml(message ?? "")}</td><td><code>${code}</code></td></tr>`,
    );
  return (
    `<h2 id="errors">Errors</h2><p class="soft">A JSON body <code>{"status", "message", "reason"}</code> unless noted. 429 and 503 carry ` +
    `<code>Retry-After</code> in seconds.</p><section class="card"><table><tr><th>Status</th><th>Message</th><th>Name in the code</th></tr>` +
    `${lines.join("")}</table></section>`
  );
}
