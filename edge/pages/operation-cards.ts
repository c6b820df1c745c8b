import { bracedPath, type Operation } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { curlSample } from "../openapi/code-samples.js";
import { requestSchema } from "../openapi/schemas.js";
import { details, fieldRows } from "./field-table.js";
import { escapeHtml } from "./html.js";

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

/** Every operation with a call of it, by chapter: what readers without JavaScript have of the reference. */
export function operationSections(baseUrl: string): string {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const cards = operations
      .filter((operation) => operation.tag === tag)
      .map((operation) => describeOperation(operation, baseUrl));
    return `<h2 id="${tag.toLowerCase()}">${tag}</h2><p class="soft">${escapeHtml(introductions[tag])}</p>${cards.join("")}`;
  });
  return sections.join("");
}

function describeOperation(operation: Operation, baseUrl: string): string {
  const { method, summary, description, headers = [], query, body, success } = operation;
  const parts = [
    `<h3><span class="verb">${method}</span><code>${escapeHtml(bracedPath(operation))}</code></h3>`,
    `<p><strong>${escapeHtml(summary)}.</strong> ${escapeHtml(description)}</p>`,
    `<pre><code>${escapeHtml(curlSample(operation, baseUrl))}</code></pre>`,
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
