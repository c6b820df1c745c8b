import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { resolveSrv } from "node:dns/promises";
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { OutboundTrunk } from "#common/livekit/livekit-sip";

type Transport = OutboundTrunk["transport"];

/** Where SIP is spoken, and over what; without a port it is looked up as SIP does. */
export interface SipTarget {
  /** `host[:port]`. */
  address: string;
  transport: Transport;
}

/** What came of a question: the first line of an answer, or why there is none. */
export type OptionsOutcome = { answer: string; where: string } | { problem: string; where: string };

const ANSWER_MS = 4000;
/** RFC 3261: over UDP a question is repeated. */
const REPEAT_MS = 500;
const USUAL_PORT = 5060;
const USUAL_TLS_PORT = 5061;

interface Place {
  host: string;
  port: number;
}

/** Asks a SIP server what it can (OPTIONS): any answer shows that it is there and speaks SIP. Over UDP where LiveKit chooses. */
export async function askOptions({ address, transport }: SipTarget, withinMs = ANSWER_MS): Promise<OptionsOutcome> {
  const over = transport === "auto" ? "udp" : transport;
  const place = await placeOf(address, over);
  const where = `${place.host}:${place.port} over ${over.toUpperCase()}`;
  const ask = over === "udp" ? askOverUdp : askOverStream;
  try {
    const answer = await ask({ ...place, over, withinMs });
    if (!answer.startsWith("SIP/2.0 ")) return { problem: "answers, and not as SIP does", where };
    return { answer: answer.slice("SIP/2.0 ".length), where };
  } catch (error) {
    return { problem: problemOf(error), where };
  }
}

/** What the system's names for failures mean to a person. */
const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody takes SIP there",
  ENOTFOUND: "no such name",
  EAI_AGAIN: "the name cannot be looked up now",
  EHOSTUNREACH: "there is no way to this address",
  ENETUNREACH: "there is no way to this address",
};

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : problems[code]) ?? error.message;
}

/** RFC 3263, as far as trunks need it: a port says all, else the name's SRV record, else SIP's usual port. */
async function placeOf(address: string, over: Exclude<Transport, "auto">): Promise<Place> {
  const colon = address.lastIndexOf(":");
  if (colon > 0) return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  const port = over === "tls" ? USUAL_TLS_PORT : USUAL_PORT;
  if (isIP(address) !== 0) return { host: address, port };
  const service = over === "tls" ? `_sips._tcp.${address}` : `_sip._${over}.${address}`;
  // Most names have none.
  const records = await resolveSrv(service).catch(() => []);
  const [first] = records.sort((one, other) => one.priority - other.priority);
  return first === undefined ? { host: address, port } : { host: first.name, port: first.port };
}

type Question = Place & { over: Exclude<Transport, "auto">; withinMs: number };

function askOverUdp({ host, port, over, withinMs }: Question): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    let repeating: NodeJS.Timeout | undefined;
    const finish = (end: () => void): void => {
      clearTimeout(late);
      clearInterval(repeating);
      socket.close();
      end();
    };
    const late = setTimeout(() => finish(() => reject(new Error("does not answer"))), withinMs);
    socket.on("error", (error) => finish(() => reject(error)));
    socket.on("message", (message) => finish(() => resolve(firstLine(message.toString()))));
    // Connected, so that a closed port is said at once.
    socket.connect(port, host, () => {
      const request = optionsRequest({ host, port, over, via: `${socket.address().address}:${socket.address().port}` });
      socket.send(request);
      repeating = setInterval(() => socket.send(request), REPEAT_MS);
    });
  });
}

function askOverStream({ host, port, over, withinMs }: Question): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = over === "tls" ? connectTls({ host, port, servername: nameOf(host) }) : connect({ host, port });
    const finish = (end: () => void): void => {
      socket.destroy();
      end();
    };
    let received = "";
    socket.setTimeout(withinMs, () => finish(() => reject(new Error("does not answer"))));
    socket.on("error", (error) => finish(() => reject(error)));
    socket.on("close", () => reject(new Error("closes the connection")));
    socket.on(over === "tls" ? "secureConnect" : "connect", () => {
      socket.write(optionsRequest({ host, port, over, via: `${socket.localAddress}:${socket.localPort}` }));
    });
    socket.on("data", (data: Buffer) => {
      received += data.toString();
      if (received.includes("\r\n")) finish(() => resolve(firstLine(received)));
    });
  });
}

/** An address has no name that a certificate could be asked for. */
function nameOf(host: string): string {
  return isIP(host) === 0 ? host : "";
}

function firstLine(message: string): string {
  return message.slice(0, message.indexOf("\r\n"));
}

function optionsRequest({ host, port, over, via }: Place & { over: string; via: string }): string {
  const id = randomBytes(8).toString("hex");
  const us = `<sip:parley-doctor@${via}>`;
  return [
    `OPTIONS sip:${host}:${port};transport=${over} SIP/2.0`,
    `Via: SIP/2.0/${over.toUpperCase()} ${via};rport;branch=z9hG4bK${id}`,
    "Max-Forwards: 70",
    `From: ${us};tag=${id}`,
    `To: <sip:${host}:${port}>`,
    `Call-ID: ${id}`,
    "CSeq: 1 OPTIONS",
    `Contact: ${us}`,
    "Accept: application/sdp",
    "Content-Length: 0",
    "\r\n",
  ].join("\r\n");
}
