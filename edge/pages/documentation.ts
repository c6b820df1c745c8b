import { errorCatalogue } from "#protocol/errors";
import { channelSections } from "./channel-sections.js";
import { escapeHtml, page, pageStyleSource } from "./html.js";
import { operationSections } from "./operation-cards.js";

/** Addresses of the files that make the reference. */
export interface ReferenceFiles {
  script: string;
  style: string;
}

/**
 * What the page may do: run the reference, which asks this service alone. Swagger UI's style sheet has its icons in it,
 * as data: addresses, and it plays audio that came as an answer.
 */
export const documentationPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${pageStyleSource}`,
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page at `/docs`. `baseUrl` is how the reader reached the service; the examples use it. */
export function documentationPage(baseUrl: string, { script, style }: ReferenceFiles): string {
  const body =
    `<h1>Parley: the interface</h1><p class="soft">For machines: <a href="/openapi.json">OpenAPI 3.1</a>, ` +
    `<a href="/asyncapi.json">AsyncAPI 3.0</a>. Send your key as <code>Authorization: Bearer &lt;key&gt;</code>; the examples take ` +
    `it from <code>$PARLEY_API_KEY</code>. <em>Authorize</em> takes it for requests that you try here; a page that is signed in at ` +
    `<a href="/console">the console</a> needs none.</p>` +
    `<nav><a href="#requests">Requests</a><a href="#channels">Sockets, events, webhooks</a><a href="#errors">Errors</a></nav>` +
    `<h2 id="requests">Requests</h2><div id="reference"></div><noscript>${operationSections(baseUrl)}</noscript>` +
    `<h2 id="channels">Sockets, events, webhooks</h2><p class="soft">What is no answer to a request. The messages are also in ` +
    `<a href="/asyncapi.json">/asyncapi.json</a>.</p>${channelSections()}${errorSection()}`;
  // Browsers ask for an icon that nobody names, and there is none.
  const head = `<link rel="icon" href="data:,"><link rel="stylesheet" href="${style}"><script type="module" src="${script}"></script>`;
  return page("Parley: the interface", body, head);
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
