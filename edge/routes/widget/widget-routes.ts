import type { HttpRoute } from "../../http/exchange.js";
import type { Bundle } from "../../pages/bundled-files.js";
import { answerBundled, bundledAssets } from "../pages/bundled-answer.js";

/** Pages that let in only what allows it (`Cross-Origin-Embedder-Policy`) may load these files too. */
const everyPage = { "cross-origin-resource-policy": "cross-origin" };

/**
 * The widget that pages of other origins embed. They name `/widget.js`, which is asked for again each time; what it
 * loads has the hash of its content in its name.
 */
export function widgetRoutes({ main, assets }: Bundle): HttpRoute[] {
  const headers = { ...everyPage, "cache-control": "no-cache" };
  return [
    {
      method: "GET",
      path: "/widget.js",
      isForEveryPage: true,
      handle: async (request, responder) => answerBundled(request, responder, main, headers),
    },
    { ...bundledAssets("/widget/", assets, everyPage), isForEveryPage: true },
  ];
}
