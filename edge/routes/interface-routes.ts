import { compatRoutes } from "../compat/routes.js";
import type { HttpRoute, SocketRoute } from "../http/exchange.js";
import type { SpeechContext } from "../speech/session/context.js";
import { speechRoutes } from "./speech/routes.js";

/** Everything that the edge answers itself: the native interface, and the same in other vendors' words. */
export function interfaceRoutes(context: SpeechContext): { http: HttpRoute[]; sockets: SocketRoute[] } {
  const [native, compat] = [speechRoutes(context), compatRoutes(context)];
  return { http: [...native.http, ...compat.http], sockets: [...native.sockets, ...compat.sockets] };
}
