import { lookup, Resolver } from "node:dns/promises";
import { canonicalAddress } from "../address.js";
import { OutboundError } from "./outbound-error.js";
import type { OutboundRules } from "./rules.js";
import type { Target } from "./target.js";

/** More addresses than any honest name has; the rest is not looked at and not called. */
const MAX_ADDRESSES = 64;
/** c-ares asks a server again after this; the second try is its last. */
const DNS_ATTEMPT_MS = 2000;
const DNS_TRIES = 2;

/** Answers that say: this name has no address of this family. */
const absent = new Set(["ENODATA", "ENOTFOUND"]);
const late = new Set(["ETIMEOUT", "ECANCELLED"]);

/** Looks host names up, both families. */
export interface NameResolver {
  /** Every address that may be called, IPv4 first; never empty. Throws OutboundError. */
  addressesOf(target: Target, deadlineMs: number): Promise<string[]>;
}

/**
 * Asks DNS itself, once for each request, and refuses a name of which any address is not public: it might be another
 * one's turn next time. Names that the operator vouches for are looked up as the system does, `/etc/hosts` included.
 */
export function createNameResolver(options: {
  rules: OutboundRules;
  dnsServers: readonly string[] | null;
}): NameResolver {
  return {
    async addressesOf(target, deadlineMs) {
      if (target.address !== null) return [target.address];
      if (target.allowed) return await systemLookup(target.host);
      const addresses = await ask(target.host, options.dnsServers, deadlineMs);
      if (!addresses.every((address) => options.rules.mayCall(address, target.port)))
        throw new OutboundError("private_address");
      return addresses;
    },
  };
}

async function ask(host: string, servers: readonly string[] | null, deadlineMs: number): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_ATTEMPT_MS, tries: DNS_TRIES });
  if (servers !== null) resolver.setServers([...servers]);
  const timer = setTimeout(() => resolver.cancel(), deadlineMs);
  try {
    // The trailing dot keeps the resolver's search list out of it.
    const families = await Promise.all([
      family(() => resolver.resolve4(`${host}.`)),
      family(() => resolver.resolve6(`${host}.`)),
    ]);
    const addresses = families.flat();
    if (addresses.length === 0) throw new OutboundError("unresolvable");
    if (addresses.length > MAX_ADDRESSES) throw new OutboundError("unresolvable");
    return addresses.map((address) => canonicalAddress(address) ?? address);
  } finally {
    clearTimeout(timer);
    // Where one family failed, the other one's question may still be open.
    resolver.cancel();
  }
}

/** One family's addresses. A failure is not an empty answer: the family not learned of might be the private one. */
async function family(query: () => Promise<string[]>): Promise<string[]> {
  try {
    return await query();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (absent.has(code)) return [];
    throw new OutboundError(late.has(code) ? "dns_timeout" : "unresolvable", { cause });
  }
}

async function systemLookup(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true, verbatim: false });
    if (found.length === 0) throw new OutboundError("unresolvable");
    return found.map(({ address }) => canonicalAddress(address) ?? address);
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause;
    throw new OutboundError("unresolvable", { cause });
  }
}
