import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { Dispatcher } from "../../http/dispatcher.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { compatShapes } from "../routes.js";

/** Has a route of the compatibility layers answer as the edge does; resolves when the exchange is over. */
export function dispatch(route: HttpRoute, request: HttpRequest, responder: HttpResponder): Promise<void> {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => request.parameters[name] ?? "none");
  return new Promise((resolve) => {
    const dispatcher = new Dispatcher({
      routes: [route],
      sockets: [],
      shapes: compatShapes,
      cors: { allowedOrigins: [] },
      log: createLogger("test", "fatal"),
      observer: { began: () => undefined, ended: () => resolve() },
      clock: new VirtualClock(),
    });
    dispatcher.answer({ ...request, method: route.method, path }, responder);
  });
}
