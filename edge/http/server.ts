import { Dispatcher, type DispatcherOptions } from "./dispatcher.js";
import type { SocketRoute } from "./exchange.js";
import { type ListenOptions, listen } from "./uws.js";

export type ServerOptions = DispatcherOptions &
  Pick<ListenOptions, "host" | "port" | "clientAddress" | "clock" | "stallMs" | "idleMs">;

/** The public listener with everything behind it. */
export interface Server {
  port: number;
  /** Address with scheme, for people on this machine. */
  url: string;
  openSockets(): number;
  /**
   * Serves requests for another `servesOnMs`, milliseconds, and then refuses what is new, WebSockets at once. Resolves
   * when every request is answered and every WebSocket session has finished.
   */
  drain(servesOnMs: number): Promise<void>;
  /** Breaks off what is left. */
  close(): void;
}

/** Opens the port and serves the given routes. Throws `internal` when the port is taken. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const dispatcher = new Dispatcher(options);
  const sockets: SocketRoute[] = options.sockets.flatMap((route) => {
    const guarded: SocketRoute = {
      ...route,
      upgrade: async (request) => {
        dispatcher.assertOpen();
        return await route.upgrade(request);
      },
    };
    // The engine takes paths to the letter: one that ends in a slash is another one to it.
    return [guarded, { ...guarded, path: `${route.path}/` }];
  });
  const listener = await listen({
    ...options,
    sockets,
    answer: (request, responder) => dispatcher.answer(request, responder),
    refuse: (request, responder, error) => dispatcher.refuse(request, responder, error),
    refuseUpgrade: (request, responder, path, error) =>
      dispatcher.refuseUpgrade(request, responder, path.replace(/\/$/, ""), error),
  });
  return {
    port: listener.port,
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${listener.port}`,
    openSockets: () => listener.openSockets(),
    drain: async (servesOnMs) => {
      await Promise.all([dispatcher.drain(servesOnMs), listener.drainSockets()]);
    },
    close: () => listener.close(),
  };
}
