import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import type { Logger } from "#common/log";
import { clientAddressBehind } from "./client-address.js";
import type { ServerOptions } from "./server.js";

/** What the public listener takes from the configuration, with the clock and the log of this process. */
export function serverSettings(given: {
  config: Config;
  clock: Clock;
  log: Logger;
}): Omit<ServerOptions, "routes" | "sockets" | "shapes" | "observer"> {
  const { config, clock, log } = given;
  return {
    clock,
    log,
    host: config.HOST,
    port: config.PORT,
    clientAddress: clientAddressBehind(config.PARLEY_TRUSTED_PROXIES),
    cors: { allowedOrigins: config.PARLEY_CORS_ALLOWED_ORIGINS },
    stallMs: config.PARLEY_STALL_MS,
    idleMs: config.PARLEY_IDLE_SECONDS * 1000,
  };
}

/** Within it every client that uses its connections has been asked to close them, and balancers know. */
const SERVES_ON_MS = 5000;

/** How long an edge that drains goes on to serve requests, milliseconds, when it must end within `deadlineMs`. */
export function servesOnMs(deadlineMs: number): number {
  return Math.min(SERVES_ON_MS, deadlineMs / 2);
}
