import { answerJson, answerPage } from "../../http/answers.js";
import type { HttpRequest, HttpRoute } from "../../http/exchange.js";
import { buildOpenApi } from "../../openapi/document.js";
import { documentationPage } from "../../pages/documentation.js";
import { landingPage } from "../../pages/landing.js";

/** What a visitor reads. */
export function pageRoutes(): HttpRoute[] {
  const openApi = buildOpenApi();
  return [
    { method: "GET", path: "/", handle: async (request, responder) => answerPage(responder, landingPage(baseUrlOf(request))) },
    { method: "GET", path: "/docs", handle: async (request, responder) => answerPage(responder, documentationPage(baseUrlOf(request))) },
    { method: "GET", path: "/openapi.json", handle: async (_request, responder) => answerJson(responder, 200, openApi) },
  ];
}

/** How the reader reached this service. Only an ordinary host name is believed: it ends up in a command that people copy. */
function baseUrlOf(request: HttpRequest): string {
  const host = request.header("host") ?? "";
  const scheme = request.header("x-forwarded-proto") === "https" ? "https" : "http";
  return /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](:\d{1,5})?$/.test(host) ? `${scheme}://${host}` : "http://localhost:8080";
}
