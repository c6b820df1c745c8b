import type { Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import { buildConnector } from "undici";
import { canonicalAddress } from "../address.js";
import { OutboundError } from "./outbound-error.js";

export interface ConnectOptions {
  /** Already judged; tried in this order. */
  addresses: readonly string[];
  port: number;
  /** Name for TLS (SNI and certificate); null speaks plain TCP. */
  tlsName: string | null;
  /** Time for one address, where another is left to try. */
  attemptMs: number;
  signal: AbortSignal;
  /** Further certificate authorities, PEM; those that node brings always count. */
  certificateAuthorities: readonly string[];
  /** Opens a TCP connection to an address (never a name) instead of the system. */
  dial: Dial | null;
}

export type Dial = (address: string, port: number) => Promise<Socket>;

/** How many of a name's addresses are tried. */
const MAX_ATTEMPTS = 4;

/**
 * Connects to the first address that answers, and makes sure that the connection leads where it should before a byte is
 * sent. Throws OutboundError; ends early when the signal fires.
 */
export async function connectPinned(options: ConnectOptions): Promise<Socket> {
  const addresses = options.addresses.slice(0, MAX_ATTEMPTS);
  let failure: unknown = null;
  for (const [index, address] of addresses.entries()) {
    const last = index === addresses.length - 1;
    try {
      return await connectTo(address, options, last ? 0 : options.attemptMs);
    } catch (error) {
      if (options.signal.aborted || (error instanceof OutboundError && error.refused)) throw error;
      failure = error;
    }
  }
  throw failure instanceof OutboundError ? failure : new OutboundError("connect_failed", { cause: failure });
}

/** Connects within `limitMs`, 0 for no limit but the signal's. */
async function connectTo(address: string, options: ConnectOptions, limitMs: number): Promise<Socket> {
  const { port, tlsName, signal } = options;
  // Node.js would destroy the socket first and connect it then.
  if (signal.aborted) throw new OutboundError("timeout");
  const connector = buildConnector({
    // The socket's own: it is destroyed when the signal fires.
    ...{ signal, timeout: limitMs, maxCachedSessions: 0, autoSelectFamily: false },
    ...authorities(options.certificateAuthorities),
  });
  const open = promisify<buildConnector.Options, Socket>(connector as never);
  const failed = (reason: "connect_failed" | "tls_failed") => (cause: unknown) => {
    throw new OutboundError(signal.aborted ? "timeout" : reason, { cause });
  };
  const dialled = options.dial?.(address, port) ?? open({ protocol: "http:", hostname: address, port: String(port) });
  const socket = await dialled.catch(failed("connect_failed"));
  // A proxy, a translator or a rewritten route in between would show here.
  if (canonicalAddress(socket.remoteAddress ?? "") !== canonicalAddress(address)) {
    socket.destroy();
    throw new OutboundError("private_address");
  }
  if (tlsName === null) return socket;
  const secure = open({
    ...{ protocol: "https:", hostname: tlsName, port: String(port), httpSocket: socket },
    // RFC 6066 section 3: no server name indication for addresses; the certificate is then checked against the address.
    ...(canonicalAddress(tlsName) === null ? { servername: tlsName } : {}),
  });
  return await secure.catch(failed("tls_failed"));
}

function authorities(extra: readonly string[]): { ca?: string[] } {
  return extra.length === 0 ? {} : { ca: [...rootCertificates, ...extra] };
}
