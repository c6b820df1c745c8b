import { baseUrlOf } from "#common/http/base-url";
import { demoPage, demoPolicy } from "../../pages/demo.js";
import { answerConstantJson, answerPage } from "../../http/answers.js";
import type { HttpRequest, HttpRoute } from "../../http/exchange.js";
import { buildAsyncApi } from "../../openapi/async-document.js";
import { buildOpenApi } from "../../openapi/document.js";
import type { ReferenceBundle } from "../../pages/bundled-files.js";
import { documentationPage, documentationPolicy } from "../../pages/documentation.js";
import { bundledAssets } from "./bundled-answer.js";
import { landingPage, type OptionalPages } from "../../pages/landing.js";

/** Addresses under which readers reach the service that pages are kept for. */
const MOST_ADDRESSES = 4;

/** Below it are the files that `/docs` loads. */
const assetsPath = "/docs/assets/";

/** What a visitor reads. Each page is made once for an address, not once for a reader. */
export function pageRoutes(optional: OptionalPages, reference: ReferenceBundle): HttpRoute[] {
  const files = { script: `${assetsPath}${reference.script}`, style: `${assetsPath}${reference.style}` };
  const [landing, documentation] = [
    storedPage((baseUrl) => landingPage(baseUrl, optional)),
    storedPage((baseUrl) => documentationPage(baseUrl, files)),
  ];
  const [answerOpenApi, answerAsyncApi] = [answerConstantJson(buildOpenApi()), answerConstantJson(buildAsyncApi())];
  return [
    {
      method: "GET",
      path: "/",
      handle: async (request, responder) => answerPage(responder, landing(addressOf(request))),
    },
    {
      method: "GET",
      path: "/docs",
      handle: async (request, responder) =>
        answerPage(responder, documentation(addressOf(request)), documentationPolicy),
    },
    bundledAssets(assetsPath, reference.assets),
    ...(optional.hasDemo ? [demoRoute] : []),
    { method: "GET", path: "/openapi.json", handle: async (_request, responder) => answerOpenApi(responder) },
    { method: "GET", path: "/asyncapi.json", handle: async (_request, responder) => answerAsyncApi(responder) },
  ];
}

const demoRoute: HttpRoute = {
  method: "GET",
  path: "/demo",
  handle: async (request, responder) => {
    const agentId = new URLSearchParams(request.query).get("agent-id");
    answerPage(responder, Buffer.from(demoPage(addressOf(request), agentId)), demoPolicy);
  },
};

/** The pages of the addresses asked for last; the name of the host is the reader's, who may invent many. */
function storedPage(render: (baseUrl: string) => string): (baseUrl: string) => Uint8Array {
  const kept = new Map<string, Uint8Array>();
  return (baseUrl) => {
    const page = kept.get(baseUrl) ?? Buffer.from(render(baseUrl));
    kept.delete(baseUrl);
    kept.set(baseUrl, page);
    const oldest = kept.keys().next();
    if (kept.size > MOST_ADDRESSES && oldest.done !== true) kept.delete(oldest.value);
    return page;
  };
}

function addressOf(request: HttpRequest): string {
  return baseUrlOf((name) => request.header(name)) ?? "http://localhost:8080";
}
