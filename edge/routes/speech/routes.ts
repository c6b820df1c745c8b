import type { HttpRoute, SocketRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import { liveSpeechRoute } from "./live-speech.js";
import { speechEventsRoute } from "./speech-events.js";
import { speakersRoute } from "./speakers.js";
import { speechFileRoute } from "./speech-file.js";

/** The routes of speech (docs/protocol.md). */
export function speechRoutes(context: SpeechContext): { http: HttpRoute[]; sockets: SocketRoute[] } {
  return {
    http: [speechFileRoute(context), speechEventsRoute(context), speakersRoute(context)],
    sockets: [liveSpeechRoute(context)],
  };
}
