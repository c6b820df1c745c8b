import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tapScript } from "./page-probe.js";

/** Rules of a page that would ruin whatever they reached. */
const hostileStyle = `
  * { color: rgb(255, 0, 0) !important; font-size: 40px !important; letter-spacing: 9px; text-transform: uppercase; }
  button, input, section { display: none !important; }
`;

/** A page of somebody else that embeds the widget, on an origin of its own. */
export interface EmbeddingPage {
  /** With the attributes of the element; `script` is what stands in the tag of the script besides, `defer` when absent. */
  url(attributes: Record<string, string>, script?: string): string;
  origin: string;
  close(): void;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** Serves the page, whose one script of another origin is the widget of `serverUrl`. */
export async function serveEmbeddingPage(serverUrl: string): Promise<EmbeddingPage> {
  const server = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname !== "/") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(pathname === "/tap.js" ? tapScript : "");
      return;
    }
    const script = searchParams.get("script") ?? "";
    searchParams.delete("script");
    const attributes = [...searchParams].map(([name, value]) => `${name}="${escaped(value)}"`).join(" ");
    // What the widget asks of a page's policy, and not more (docs/widget.md "In your page").
    const policy = `default-src 'none'; script-src 'self' ${serverUrl}; style-src 'unsafe-inline'; connect-src ${serverUrl} ws:`;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy });
    response.end(
      `<!doctype html><html lang="en"><head><title>A shop</title><style>${hostileStyle}</style></head><body><main><h1>A shop</h1></main>` +
        `<script src="${serverUrl}/widget.js" ${script}></script><parley-agent ${attributes}></parley-agent></body></html>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: (attributes, script = "defer") => `${origin}/?${new URLSearchParams({ ...attributes, script })}`,
    close: () => void server.close(),
  };
}
