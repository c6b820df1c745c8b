import type { HttpRoute, SocketRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import { liveSpeechRoute } from "./live-speech.js";
import { speechEventsRoute } from "./speech-events.js";
import { speechFileRoute } from "./speech-file.js";

/** The speaking part of the interface (protocols.md 1.1 to 1.3). */
export function speechRoutes(context: SpeechContext): { http: HttpRoute[]; sockets: SocketRoute[] } {
  return { http: [speechFileRoute(context), speechEventsRoute(context)], sockets: [liveSpeechRoute(context)] };
}
