import { compatShapes, compatRoutes } from "../compat/routes.js";
import type { AnswerShape, HttpRoute, SocketRoute } from "../http/exchange.js";
import type { TranscriptionContext } from "../transcription/context.js";
import type { SpeechContext } from "../speech/context.js";
import { transcriptionRoutes } from "./transcription/routes.js";
import { speechRoutes } from "./speech/routes.js";

/** Routes, and how answers look where they are not the default protocol's. */
export interface InterfaceRoutes {
  routes: HttpRoute[];
  sockets: SocketRoute[];
  shapes: readonly AnswerShape[];
}

/** Everything that the edge answers itself: the native interface, and the same in other vendors' words. */
export function interfaceRoutes(context: SpeechContext, transcription: TranscriptionContext): InterfaceRoutes {
  const [native, compat] = [speechRoutes(context), compatRoutes(context, transcription)];
  return {
    routes: [...native.http, ...transcriptionRoutes(transcription), ...compat.http],
    sockets: [...native.sockets, ...compat.sockets],
    shapes: compatShapes,
  };
}
