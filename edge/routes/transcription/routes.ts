import type { HttpRoute } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { transcriptionRoute } from "./transcription.js";

/** The routes of transcription (docs/protocol.md "Transcription"). */
export function transcriptionRoutes(context: TranscriptionContext): HttpRoute[] {
  return [transcriptionRoute(context)];
}
