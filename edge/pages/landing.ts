import { version } from "#common/version";
import { escapeHtml, page } from "./html.js";

/** Pages that the operator may leave out. */
export interface OptionalPages {
  hasConsole: boolean;
  hasDemo: boolean;
}

/** The page at `/`: what this is, first audio, and where to go on. */
export function landingPage(baseUrl: string, { hasConsole, hasDemo }: OptionalPages): string {
  const call =
    `curl ${baseUrl}/v1/tts -H "Authorization: Bearer $PARLEY_API_KEY" -H "model: s2-pro" \\\n` +
    `  -H "Content-Type: application/json" -d '{"text": "Hello there."}' -o hello.mp3`;
  return page(
    "Parley",
    `<h1>Parley</h1><p class="soft">Version ${escapeHtml(version)}</p>` +
      `<p>A self-hosted speech and voice-agent service: text in, speech out, live. This address is its interface.</p>` +
      `<pre><code>${escapeHtml(call)}</code></pre>` +
      `<section class="card"><table>` +
      (hasConsole
        ? `<tr><td><a href="/console">/console</a></td><td>The console: how it does, in a browser</td></tr>`
        : "") +
      (hasDemo ? `<tr><td><a href="/demo">/demo</a></td><td>A page with an agent to talk to</td></tr>` : "") +
      `<tr><td><a href="/docs">/docs</a></td><td>The interface, with an example for every route</td></tr>` +
      `<tr><td><a href="/openapi.json">/openapi.json</a></td><td>The same for machines</td></tr>` +
      `<tr><td><a href="/asyncapi.json">/asyncapi.json</a></td><td>Sockets, events of calls and webhooks, for machines</td></tr>` +
      `<tr><td><a href="/health">/health</a></td><td>How the cluster does, and which models speak</td></tr>` +
      `<tr><td><a href="/ready">/ready</a></td><td>Whether speech can be served now</td></tr>` +
      `<tr><td><a href="/metrics">/metrics</a></td><td>Metrics for Prometheus</td></tr>` +
      `</table></section>`,
  );
}
