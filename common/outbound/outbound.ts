import type { Logger } from "../log.js";
import type { Dial } from "./connect.js";
import { startDeadline } from "./deadline.js";
import { connectTarget, type ExchangeResponse, exchange, openExchange } from "./exchange.js";
import { PersistentConnection } from "./persistent-connection.js";
import { OutboundError } from "./outbound-error.js";
import { checkHeaders, type HeaderList, headersForOtherOrigin } from "./request-headers.js";
import { createNameResolver } from "./resolve.js";
import { ACCEPTED_ENCODINGS } from "./response-body.js";
import { outboundRules } from "./rules.js";
import { NO_ENCODING, type OutboundStream, type OutboundStreamRequest, streamAnswer } from "./stream.js";
import { parseTarget, type Target } from "./target.js";

export type OutboundMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface OutboundRequest {
  method: OutboundMethod;
  url: string;
  headers?: HeaderList;
  body?: Uint8Array | null;
  /** For everything: names, connection, redirects, the whole answer. */
  timeoutMs: number;
  /** Of the answer's body, decompressed. */
  maxResponseBytes: number;
  /**
   * Past the limit: `fail` throws `response_too_large`, `truncate` gives what fits (with a limit of 0: does not wait
   * for any). Default `fail`.
   */
  overflow?: "fail" | "truncate";
  /** Redirects that are followed, each judged as a new URL. Default 0: a 3xx is the answer. */
  maxRedirects?: number;
  /** Gives up when it fires. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** By lower-case name; repeated ones joined with a comma. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  truncated: boolean;
  /** The URL that answered: the last one after redirects. */
  url: string;
}

/** The one way out for requests whose address a user chose (docs/webhooks.md "Where requests may go"). */
export interface Outbound {
  /**
   * Sends a request and gives the answer, whatever its status. Every URL on the way must lead to public addresses; the
   * connection goes to an address that was judged and is judged again once it stands. No proxy of the environment, no
   * cookie, no connection is shared between requests. Throws OutboundError and nothing else.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Judges a URL for saving: its text, and what its host resolves to now. Throws OutboundError with the reason. */
  checkUrl(url: string): Promise<void>;
}

/** The same way out, for answers that are read as they come. */
export interface StreamingOutbound extends Outbound {
  /**
   * Sends a request and gives the answer once its head is here, whatever its status; redirects are not followed. The
   * same rules as for `request`. Throws OutboundError and nothing else, and so does reading the body.
   */
  stream(request: OutboundStreamRequest): Promise<OutboundStream>;
  /**
   * A connection to the origin of a URL for one user of it, such as a conversation: each connection that it makes is
   * judged as one of `stream`.
   */
  keep(url: string): PersistentConnection;
}

export interface OutboundOptions {
  /** Entries of `PARLEY_OUTBOUND_ALLOW`. */
  allow: readonly string[];
  /** Further hosts, in the same form, that a setting of the operator names and no user chooses. */
  trusted?: readonly string[];
  log: Logger;
  /** Name servers to ask (`address:port`) instead of the system's. */
  dnsServers?: readonly string[];
  dial?: Dial;
  /**
   * Addresses that are this machine's, which are refused even where they are public; those of its interfaces when
   * absent.
   */
  ownAddresses?: () => readonly string[];
  /** Trusted besides those that node brings, PEM. */
  certificateAuthorities?: readonly string[];
}

/** How long `checkUrl` may ask for addresses. */
const CHECK_MS = 5000;

/** Opens the door. Throws RangeError for an entry of the allow-list that cannot be read. */
export function createOutbound(options: OutboundOptions): StreamingOutbound {
  const rules = outboundRules([...options.allow, ...(options.trusted ?? [])], options.ownAddresses);
  if (options.allow.length > 0) {
    options.log.warn(
      { allow: options.allow },
      "PARLEY_OUTBOUND_ALLOW is set: users of this service can make it call these private hosts",
    );
  }
  const names = createNameResolver({ rules, dnsServers: options.dnsServers ?? null });
  const dial = options.dial ?? null;
  const certificateAuthorities = options.certificateAuthorities ?? [];

  const hop = async (
    state: Hop,
    request: OutboundRequest,
    signal: AbortSignal,
    deadlineMs: number,
  ): Promise<ExchangeResponse> => {
    const { target, headers } = state;
    const addresses = await names.addressesOf(target, Math.max(0, deadlineMs - performance.now()));
    return await exchange({
      ...{ dial, certificateAuthorities, target, addresses, headers, signal },
      method: state.method,
      body: state.body,
      encodings: ACCEPTED_ENCODINGS,
      maxResponseBytes: request.maxResponseBytes,
      truncate: request.overflow === "truncate",
    });
  };

  const stream = async (request: OutboundStreamRequest): Promise<OutboundStream> => {
    const deadlineMs = performance.now() + request.timeoutMs;
    const { method, body = null, maxResponseBytes } = request;
    return await streamAnswer(request, async (signal) => {
      const target = parseTarget(request.url, rules);
      const headers = checkHeaders(request.headers ?? []);
      const addresses = await names.addressesOf(target, Math.max(0, deadlineMs - performance.now()));
      const judged = { dial, certificateAuthorities, target, addresses, headers, signal };
      return await openExchange({ ...judged, method, body, encodings: NO_ENCODING, maxResponseBytes });
    });
  };

  return {
    async request(request) {
      const deadlineMs = performance.now() + request.timeoutMs;
      return await withDeadline(request, async (signal) => {
        let state: Hop = {
          target: parseTarget(request.url, rules),
          method: request.method,
          headers: checkHeaders(request.headers ?? []),
          body: request.body ?? null,
        };
        for (let redirects = 0; ; redirects++) {
          const response = await hop(state, request, signal, deadlineMs);
          const location = redirectOf(response);
          if (location === null || (request.maxRedirects ?? 0) === 0)
            return { ...response, url: state.target.url.href };
          if (redirects >= (request.maxRedirects ?? 0)) throw new OutboundError("too_many_redirects");
          state = follow(state, response.status, parseTarget(resolveLocation(location, state.target.url), rules));
        }
      });
    },
    stream,
    keep: (url) =>
      new PersistentConnection({
        origin: URL.canParse(url) ? new URL(url).origin : "http://invalid",
        connect: async (signal, limitMs) => {
          const target = parseTarget(url, rules);
          const addresses = await names.addressesOf(target, limitMs);
          return await connectTarget({ dial, certificateAuthorities, target, addresses, signal });
        },
        check: ({ url: asked, headers }) => ({
          target: parseTarget(asked, rules),
          headers: checkHeaders(headers ?? []),
        }),
        streamOnce: stream,
      }),
    async checkUrl(url) {
      await names.addressesOf(parseTarget(url, rules), CHECK_MS);
    },
  };
}

interface Hop {
  target: Target;
  method: OutboundMethod;
  headers: HeaderList;
  body: Uint8Array | null;
}

function redirectOf(response: ExchangeResponse): string | null {
  return [301, 302, 303, 307, 308].includes(response.status) ? (response.headers["location"] ?? null) : null;
}

function resolveLocation(location: string, base: URL): string {
  if (!URL.canParse(location, base.href)) throw new OutboundError("invalid_url");
  return new URL(location, base).href;
}

/**
 * The next hop's request. RFC 9110 section 15.4: 303, and in practice 301 and 302 after POST, turn into GET; 307 and
 * 308 repeat.
 */
function follow(from: Hop, status: number, target: Target): Hop {
  const repeats =
    status === 307 ||
    status === 308 ||
    (status !== 303 && from.method !== "POST") ||
    from.method === "GET" ||
    from.method === "HEAD";
  const headers = target.url.origin === from.target.url.origin ? from.headers : headersForOtherOrigin(from.headers);
  if (repeats) return { ...from, target, headers };
  return {
    target,
    method: "GET",
    headers: headers.filter(([name]) => name.toLowerCase() !== "content-type"),
    body: null,
  };
}

/**
 * Runs `work` under the request's one deadline and its caller's signal; whatever it throws comes out as an
 * OutboundError.
 */
async function withDeadline<T>(request: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = startDeadline(request);
  try {
    // The work is told by the same signal and cleans up behind itself; its caller does not wait for that.
    return await deadline.race(work(deadline.signal));
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    throw new OutboundError("connection_lost", { cause: error });
  } finally {
    deadline.end();
  }
}
