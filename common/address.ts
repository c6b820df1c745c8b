import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Addresses that the library calls ordinary and that are not: the deprecated IPv4-compatible block, and services of
 * cloud hosts.
 */
const extras = [
  "::/96",
  "168.63.129.16/32", // Azure's host agent and DNS
  "100::/64", // discard only (RFC 6666)
  "2001::/23", // IETF protocol assignments (RFC 2928)
  "2001:db8::/32", // documentation (RFC 3849)
  "3fff::/20", // documentation (RFC 9637)
  "5f00::/16", // segment routing (RFC 9602)
  "fec0::/10", // site local, deprecated (RFC 3879)
  "64:ff9b::/96", // IPv4 behind a translator (RFC 6052)
  "64:ff9b:1::/48", // the same, for local use (RFC 8215)
  "192.88.99.0/24", // 6to4 relays, deprecated (RFC 7526)
].map((block) => ipaddr.parseCIDR(block));

/** Global unicast as IANA has assigned it so far; the rest of IPv6 is nobody's. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** An address block, for allow-lists. */
export interface AddressBlock {
  contains(address: string): boolean;
}

/** The address in its one canonical spelling, IPv4 inside IPv6 unwrapped; null for what is no address. */
export function canonicalAddress(text: string): string | null {
  if (isIP(text) === 0) return null;
  return ipaddr.process(text).toString();
}

/**
 * What limits per client count together: an IPv4 address, or the /64 block of an IPv6 one, of which each customer has a
 * whole. What is no address is itself.
 */
export function addressGroup(text: string): string {
  if (isIP(text) === 0) return text;
  const address = ipaddr.process(text);
  return address.kind() === "ipv4"
    ? address.toString()
    : `${new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/**
 * Whether an address belongs to the public internet: ordinary unicast, and none of the blocks that lead elsewhere. What
 * is not an address is not public. Takes the spellings of `URL.hostname` and of the resolver.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv6" && !within(address, globalUnicast)) return false;
  return !extras.some((block) => within(address, block));
}

/** Parses `a.b.c.d/n` or `x::/n` or a single address; null for anything else. */
export function parseBlock(text: string): AddressBlock | null {
  const single = canonicalAddress(text);
  if (single !== null) return { contains: (address) => canonicalAddress(address) === single };
  if (!ipaddr.isValidCIDR(text)) return null;
  const block = ipaddr.parseCIDR(text);
  return { contains: (address) => isIP(address) !== 0 && within(ipaddr.process(address), block) };
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, block: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === block[0].kind() && address.match(block);
}
