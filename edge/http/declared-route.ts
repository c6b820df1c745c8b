import { maxBodyBytesOf, type Operation } from "#protocol/operations/operation";
import type { HttpRoute } from "./exchange.js";

/** The route of a declared operation. */
export function declaredRoute(operation: Operation, handle: HttpRoute["handle"]): HttpRoute {
  const { method, path } = operation;
  return { method, path, maxBodyBytes: maxBodyBytesOf(operation), handle };
}
