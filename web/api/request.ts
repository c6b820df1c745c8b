/** A request that was refused, or that reached nobody. */
export class ApiFailure extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The trace id that the request carried: the server's logs and traces know it by this. */
  readonly requestId: string;

  constructor(status: number, message: string, requestId: string) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.requestId = requestId;
  }
}

/** What a status without a message means, for people. */
const meanings: Readonly<Record<number, string>> = {
  401: "You are not signed in, or the key was revoked",
  415: "The server does not take this kind of body",
};

/** The message of an error's body (docs/protocol.md "Errors"); 422 has a list of problems. */
export function messageOf(status: number, body: unknown): string {
  if (Array.isArray(body)) return body.map(problemText).join("; ");
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return meanings[status] ?? `The server answered with status ${status}`;
}

function problemText(problem: unknown): string {
  const { loc, msg } = problem as { loc?: unknown[]; msg?: string };
  return `${(loc ?? []).slice(1).join(".")}: ${msg ?? "is not valid"}`;
}

/** A W3C traceparent of a new trace, whose id is the request's. */
export function newTrace(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): { traceId: string; header: string } {
  const hex = (count: number): string =>
    [...random(new Uint8Array(count))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const traceId = hex(16);
  return { traceId, header: `00-${traceId}-${hex(8)}-01` };
}

/** Asks the service with the signed-in key; gives the parsed answer, undefined for none. Throws `ApiFailure`. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { traceId, header } = newTrace((bytes) => crypto.getRandomValues(bytes));
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: { traceparent: header, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiFailure(0, "The server cannot be reached", traceId);
  }
  const parsed = parseJson(await answer.text());
  if (!answer.ok) throw new ApiFailure(answer.status, messageOf(answer.status, parsed), traceId);
  return parsed as T;
}

function parseJson(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
