import type { HttpRoute } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { transcriptionRoute } from "./transcription.js";

/** The listening part of the interface (protocols.md 1.4). */
export function transcriptionRoutes(context: TranscriptionContext): HttpRoute[] {
  return [transcriptionRoute(context)];
}
