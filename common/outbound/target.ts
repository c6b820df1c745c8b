import { canonicalAddress } from "../address.js";
import { OutboundError } from "./outbound-error.js";
import type { OutboundRules } from "./rules.js";

/** Longest URL that is accepted, in characters. */
const MAX_URL_LENGTH = 4000;

/** A URL that may be called as far as its text tells; its host's addresses are not looked at yet. */
export interface Target {
  readonly url: URL;
  /** Lower case, without brackets and trailing dot. */
  readonly host: string;
  readonly port: number;
  /** The host, where it is an address; null for names. */
  readonly address: string | null;
  /** The operator vouches for this host: any address of it may be called. */
  readonly allowed: boolean;
}

/** Ports of services that speak no HTTP but would read it (WHATWG Fetch, "bad port"). */
const forbiddenPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Domains that mean something only inside of a network (RFC 6761, 6762, 8375; ICANN's `.internal`; Kubernetes). */
const privateDomains = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "home.arpa",
  "svc",
  "onion",
];

const labelPattern = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/**
 * Reads a URL and applies every rule that needs no network. Throws OutboundError with a refusal.
 * Parsed once, with the parser that the client itself uses, so that nothing is understood in two ways.
 */
export function parseTarget(text: string, rules: OutboundRules): Target {
  if (text.length > MAX_URL_LENGTH) throw new OutboundError("url_too_long");
  // The parser drops tabs and newlines and takes backslashes for slashes: readers of the text would see another host
  // than it does.
  if (/[\u0000-\u0020\u007f\\]/.test(text.trim()) || text !== text.trim() || !URL.canParse(text))
    throw new OutboundError("invalid_url");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new OutboundError("unsupported_scheme");
  if (!/^https?:\/\/[^/]/i.test(text)) throw new OutboundError("invalid_url");
  if (url.username !== "" || url.password !== "" || authority(text).includes("@"))
    throw new OutboundError("embedded_credentials");
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const address = canonicalAddress(host);
  const allowed = rules.allow.allowsHost(host, port) || (address !== null && rules.allow.allowsAddress(address, port));
  if (forbiddenPorts.has(port) && !allowed) throw new OutboundError("forbidden_port");
  if (!allowed && address === null) requirePublicName(host);
  if (!allowed && address !== null && !rules.mayCall(address, port)) throw new OutboundError("private_address");
  return { url, host, port, address, allowed };
}

function authority(text: string): string {
  return text.slice(text.indexOf("//") + 2).split(/[/?#]/, 1)[0] ?? "";
}

function requirePublicName(host: string): void {
  const labels = host.split(".");
  if (host.length > MAX_NAME_LENGTH || !labels.every((label) => labelPattern.test(label)))
    throw new OutboundError("invalid_url");
  if (labels.length < 2 || privateDomains.some((domain) => host === domain || host.endsWith(`.${domain}`)))
    throw new OutboundError("private_host");
}
