import { compatRefusals, compatRoutes } from "../compat/routes.js";
import type { HttpRoute, RefusalShape, SocketRoute } from "../http/exchange.js";
import type { TranscriptionContext } from "../transcription/context.js";
import type { SpeechContext } from "../speech/context.js";
import { transcriptionRoutes } from "./transcription/routes.js";
import { speechRoutes } from "./speech/routes.js";

/** Routes, and how refusals look where they are not the default protocol's. */
export interface InterfaceRoutes {
  routes: HttpRoute[];
  sockets: SocketRoute[];
  refusals: readonly RefusalShape[];
}

/** Everything that the edge answers itself: the native interface, and the same in other vendors' words. */
export function interfaceRoutes(context: SpeechContext, transcription: TranscriptionContext): InterfaceRoutes {
  const [native, compat] = [speechRoutes(context), compatRoutes(context, transcription)];
  return {
    routes: [...native.http, ...transcriptionRoutes(transcription), ...compat.http],
    sockets: [...native.sockets, ...compat.sockets],
    refusals: compatRefusals,
  };
}
