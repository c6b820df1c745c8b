import { liveSpeech } from "#protocol/operations/speech";
import type { HttpRequest, SocketRoute } from "../../http/exchange.js";
import { admitCaller } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { LiveSession } from "../../speech/live-session.js";

/**
 * `WebSocket /v1/tts/live` (docs/protocol.md "The live socket"). What the head of the request gets wrong is answered
 * over HTTP, before the upgrade.
 */
export function liveSpeechRoute(context: SpeechContext): SocketRoute {
  return {
    path: liveSpeech.path,
    maxFrameBytes: liveSpeech.maxFrameBytes,
    async upgrade(request) {
      const asked = withModelOfQuery(request);
      const caller = await admitCaller(asked, context);
      return (connection) =>
        new LiveSession({ context, caller, connection, readmit: () => admitCaller(asked, context) });
    },
  };
}

/** The request, with the model of its query as the header where that is absent: browsers cannot set it. */
function withModelOfQuery(request: HttpRequest): HttpRequest {
  const model = new URLSearchParams(request.query).get("model") ?? undefined;
  return { ...request, header: (name) => request.header(name) ?? (name === "model" ? model : undefined) };
}
