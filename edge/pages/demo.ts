import { escapeHtml, page, pageStyleSource } from "./html.js";

/** Longer than any id that we give. */
const MOST_ID_CHARACTERS = 128;

/**
 * What the page may do: run the widget, which asks this service and the room's server, whose address the edge does not
 * know.
 */
export const demoPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${pageStyleSource}`,
  "connect-src 'self' ws: wss:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The page at `/demo`: a page as anybody might have it, with the widget of the agent that its reader names. */
export function demoPage(baseUrl: string, agentId: string | null): string {
  const id = (agentId ?? "").trim().slice(0, MOST_ID_CHARACTERS);
  const embed = `<script src="${baseUrl}/widget.js" defer></script>\n<parley-agent agent-id="${escapeHtml(id)}"></parley-agent>`;
  return page(
    "Widget of Parley",
    `<h1>The widget</h1><p>A page with an agent to talk to. It must be public, and this page's address one of its allowed origins; the sample agent is so on this machine. <code>bin/parley agents list</code> tells the ids.</p>` +
      `<form method="get" action="/demo"><label>Id of the agent <input name="agent-id" required maxlength="${MOST_ID_CHARACTERS}" value="${escapeHtml(id)}"></label> <button>Show</button></form>` +
      (id === ""
        ? ""
        : `<p>These two lines embed it:</p><pre tabindex="0"><code>${escapeHtml(embed)}</code></pre>` +
          `<script src="/widget.js" defer></script><parley-agent agent-id="${escapeHtml(id)}" open></parley-agent>`),
  );
}
