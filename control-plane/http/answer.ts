import {
  type ForwardedRequest,
  type ForwardedResponse,
  MAX_INLINE_BODY_BYTES,
  uploadsBucket,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import { renderError } from "#common/http/error-body";
import type { FailureLog } from "#common/http/failure-log";
import { newIdentifier } from "#common/identifier";
import type { Logger } from "#common/log";
import { toServiceError } from "../database/failure.js";
import type { Router } from "./router.js";

/** What may be asked for while nothing can be written. */
const readingMethods: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Answers a forwarded request, errors included; never rejects. `requireRoom` is called, and may throw, before anything
 * that may write. A body that was too large for the bus is fetched from the object store and deleted there, whatever
 * becomes of the request; an answer that is too large is left there for the edge.
 */
export async function answerForwarded(
  router: Router,
  bus: Bus,
  log: Logger,
  failures: FailureLog,
  request: ForwardedRequest,
  requireRoom: () => void = () => undefined,
): Promise<ForwardedResponse> {
  try {
    if (!readingMethods.includes(request.method)) requireRoom();
    let reading: Promise<Uint8Array> | null = null;
    const readBody = (): Promise<Uint8Array> => {
      reading ??= fetchBody(bus, request);
      return reading;
    };
    return await fitToBus(bus, await router.handle(request, readBody));
  } catch (error) {
    const known = toServiceError(error);
    failures.note(known, { method: request.method, route: router.patternOf(request) });
    return renderError(known);
  } finally {
    if (request.bodyObject !== null) await discard(bus, log, request.bodyObject);
  }
}

async function fetchBody(bus: Bus, request: ForwardedRequest): Promise<Uint8Array> {
  if (request.bodyObject === null) return request.body;
  const bytes = await storing(() => bus.objects(uploadsBucket).get(request.bodyObject ?? ""));
  if (bytes === null)
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" } });
  return bytes;
}

async function fitToBus(bus: Bus, response: ForwardedResponse): Promise<ForwardedResponse> {
  if (response.body.byteLength <= MAX_INLINE_BODY_BYTES) return response;
  const bodyObject = newIdentifier();
  await storing(() => bus.objects(uploadsBucket).put(bodyObject, response.body));
  return { ...response, body: new Uint8Array(0), bodyObject };
}

async function discard(bus: Bus, log: Logger, name: string): Promise<void> {
  try {
    await bus.objects(uploadsBucket).delete(name);
  } catch (error) {
    log.warn({ err: error }, "an upload could not be deleted after its request");
  }
}

/** Runs an action on the object store; its failures are of a dependency, not ours. */
export async function storing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" }, cause });
  }
}
