/** One header: its name as it came, and its value. */
export type SipHeader = readonly [name: string, value: string];

/** A request as RFC 3261 has it. */
export interface SipRequest {
  kind: "request";
  method: string;
  uri: string;
  headers: SipHeader[];
  body: string;
}

/** A response to one. */
export interface SipResponse {
  kind: "response";
  status: number;
  reason: string;
  headers: SipHeader[];
  body: string;
}

export type SipMessage = SipRequest | SipResponse;

const VERSION = "SIP/2.0";

/** Short forms of header names: RFC 3261, section 7.3.3. */
const shortNames: Readonly<Record<string, string>> = {
  c: "content-type",
  f: "from",
  i: "call-id",
  k: "supported",
  l: "content-length",
  m: "contact",
  o: "event",
  r: "refer-to",
  t: "to",
  v: "via",
};

/** Reads one datagram; null where it is no SIP message, such as the two line ends that keep a connection open. */
export function parseMessage(bytes: Buffer): SipMessage | null {
  const text = bytes.toString();
  const headEnd = text.indexOf("\r\n\r\n");
  const [first, ...lines] = text.slice(0, headEnd < 0 ? undefined : headEnd).split("\r\n");
  const words = (first ?? "").split(" ");
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return colon < 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
  });
  const body = headEnd < 0 ? "" : text.slice(headEnd + 4);
  if (words[0] === VERSION)
    return { kind: "response", status: Number(words[1]), reason: words.slice(2).join(" "), headers, body };
  if (words[2] !== VERSION) return null;
  return { kind: "request", method: words[0] ?? "", uri: words[1] ?? "", headers, body };
}

export function messageBytes(message: SipMessage): Buffer {
  const first =
    message.kind === "request"
      ? `${message.method} ${message.uri} ${VERSION}`
      : `${VERSION} ${message.status} ${message.reason}`;
  const lines = message.headers.map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(message.body)}`;
  return Buffer.from([first, ...lines, length, "", message.body].join("\r\n"));
}

/** All values of a header, in their order. */
export function headersOf(message: SipMessage, name: string): string[] {
  const wanted = name.toLowerCase();
  return message.headers.flatMap(([header, value]) => {
    const lower = header.toLowerCase();
    return (shortNames[lower] ?? lower) === wanted ? [value] : [];
  });
}

/** The first value of a header; empty where there is none. */
export function headerOf(message: SipMessage, name: string): string {
  return headersOf(message, name)[0] ?? "";
}

/** A parameter of a header's value or of a URI, such as the tag of `<sip:a@b>;tag=c`. */
export function parameterOf(value: string, name: string): string | null {
  const parameters = value
    .slice(value.lastIndexOf(">") + 1)
    .split(";")
    .slice(1);
  for (const parameter of parameters) {
    const [key, text = ""] = parameter.split("=");
    if (key?.trim().toLowerCase() === name) return text.trim();
  }
  return null;
}

/** The URI of an address with or without a name: `"A" <sip:a@b>;tag=c` gives `sip:a@b`. */
export function uriOf(address: string): string {
  const from = address.indexOf("<");
  if (from < 0) return (address.split(";")[0] ?? "").trim();
  return address.slice(from + 1, address.indexOf(">", from));
}

/** Who is meant, and where: of `sip:+49@10.0.0.1:5070;transport=udp`. */
export interface SipAddress {
  user: string;
  host: string;
  port: number;
}

export function addressOf(uri: string): SipAddress {
  const rest = uri.slice(uri.indexOf(":") + 1).split(";")[0] ?? "";
  const at = rest.indexOf("@");
  const [host = "", port] = rest.slice(at + 1).split(":");
  return { user: at < 0 ? "" : decodeURIComponent(rest.slice(0, at)), host, port: Number(port ?? 5060) };
}
