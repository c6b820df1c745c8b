/** One field of a request that the server did not take (422). */
export interface Problem {
  /** Where it stands in the body, outermost name first. */
  path: string[];
  message: string;
}

/** A request that was refused, or that reached nobody. */
export class ApiFailure extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The trace id that the request carried: the server's logs and traces know it by this. */
  readonly requestId: string;
  /** What of the body was wrong, field by field; empty where that was not said. */
  readonly problems: readonly Problem[];

  constructor(status: number, requestId: string, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.requestId = requestId;
    this.problems = problems;
  }
}

/** What a status without a message means, for people. */
const meanings: Readonly<Record<number, string>> = {
  401: "You are not signed in, or the key was revoked",
  415: "The server does not take this kind of body",
};

/** The message of an error's body (docs/protocol.md "Errors"); 422 has a list of problems. */
export function messageOf(status: number, body: unknown): string {
  if (Array.isArray(body))
    return problemsOf(body)
      .map(({ path, message }) => `${path.join(".")}: ${message}`)
      .join("; ");
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return meanings[status] ?? `The server answered with status ${status}`;
}

/** The fields that an error's body names. */
export function problemsOf(body: unknown): Problem[] {
  if (!Array.isArray(body)) return [];
  return (body as { loc?: unknown[]; msg?: string }[]).map(({ loc, msg }) => ({
    // The first name says which part of the request it is.
    path: (loc ?? []).slice(1).map(String),
    message: msg ?? "is not valid",
  }));
}

/** A W3C traceparent of a new trace, whose id is the request's. */
export function newTrace(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): { traceId: string; header: string } {
  const hex = (count: number): string =>
    [...random(new Uint8Array(count))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const traceId = hex(16);
  return { traceId, header: `00-${traceId}-${hex(8)}-01` };
}

/**
 * Sends a request with the signed-in key; gives the answer, whose body is not read yet. A body is sent as JSON, or as
 * the form that it is. Throws `ApiFailure`, and what an aborted `signal` says.
 */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { traceId, header } = newTrace((bytes) => crypto.getRandomValues(bytes));
  const isJson = body !== undefined && !(body instanceof FormData);
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: { ...headers, traceparent: header, ...(isJson ? { "content-type": "application/json" } : {}) },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    signal?.throwIfAborted();
    throw new ApiFailure(0, traceId, "The server cannot be reached");
  }
  if (answer.ok) return answer;
  const refusal = parseJson(await answer.text());
  throw new ApiFailure(answer.status, traceId, messageOf(answer.status, refusal), problemsOf(refusal));
}

/** Sends a request; gives the parsed answer, undefined for none. Throws as `send` does. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await send(method, path, body, signal);
  return parseJson(await answer.text()) as T;
}

function parseJson(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
