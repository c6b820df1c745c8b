import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import { canonicalAddress } from "../address.js";
import { OutboundError } from "./outbound-error.js";

/** Opens a TCP connection to an address (never a name). */
export type Dial = (address: string, port: number) => Socket;

/** Straight to the address: `net` looks nothing up when it is given one. */
export const dialDirectly: Dial = (address, port) => connectTcp({ host: address, port, autoSelectFamily: false });

export interface ConnectOptions {
  dial: Dial;
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
}

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
      return await connectTo(address, options, last ? null : options.attemptMs);
    } catch (error) {
      if (options.signal.aborted || (error instanceof OutboundError && error.refused)) throw error;
      failure = error;
    }
  }
  throw failure instanceof OutboundError ? failure : new OutboundError("connect_failed", { cause: failure });
}

async function connectTo(address: string, options: ConnectOptions, limitMs: number | null): Promise<Socket> {
  const socket = options.dial(address, options.port);
  const connected = await settled(socket, "connect", options.signal, limitMs, "connect_failed");
  // A proxy, a translator or a rewritten route in between would show here.
  if (canonicalAddress(connected.remoteAddress ?? "") !== canonicalAddress(address)) {
    connected.destroy();
    throw new OutboundError("private_address");
  }
  connected.setNoDelay(true);
  if (options.tlsName === null) return connected;
  const isName = canonicalAddress(options.tlsName) === null;
  const secure = connectTls({
    socket: connected,
    ALPNProtocols: ["http/1.1"],
    // RFC 6066 section 3: no server name indication for addresses; the certificate is then checked against the address.
    ...(isName ? { servername: options.tlsName } : { host: options.tlsName }),
    ...authorities(options.certificateAuthorities),
  });
  return await settled(secure, "secureConnect", options.signal, limitMs, "tls_failed");
}

function authorities(extra: readonly string[]): { ca?: string[] } {
  return extra.length === 0 ? {} : { ca: [...rootCertificates, ...extra] };
}

/** Resolves at `event`; destroys the socket when it fails, the signal fires or `limitMs` has passed. */
function settled<S extends Socket>(
  socket: S,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  limitMs: number | null,
  reason: "connect_failed" | "tls_failed",
): Promise<S> {
  return new Promise((resolve, reject) => {
    const finish = (error: OutboundError | null): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.removeListener("error", onError);
      socket.removeListener("close", onClose);
      socket.removeListener(event, onDone);
      if (error === null) {
        resolve(socket);
        return;
      }
      // What a destroyed socket still reports is of no interest, and without a listener it would end the process.
      socket.on("error", () => undefined);
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => finish(new OutboundError("timeout"));
    const onError = (cause: Error): void => finish(new OutboundError(reason, { cause }));
    const onClose = (): void => finish(new OutboundError(reason));
    const onDone = (): void => finish(null);
    const timer = limitMs === null ? undefined : setTimeout(() => finish(new OutboundError(reason)), limitMs);
    signal.addEventListener("abort", onAbort);
    socket.once("error", onError);
    socket.once("close", onClose);
    socket.once(event, onDone);
    if (signal.aborted) onAbort();
  });
}
