import type { HttpRoute } from "../../http/exchange.js";
import type { ListeningContext } from "../../transcription/context.js";
import { transcriptionRoute } from "./transcription.js";

/** The listening part of the interface (protocols.md 1.4). */
export function listeningRoutes(context: ListeningContext): HttpRoute[] {
  return [transcriptionRoute(context)];
}
