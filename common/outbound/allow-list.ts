import { type AddressBlock, canonicalAddress, parseBlock } from "../address.js";

/** What an operator exempts from the rule that only public hosts may be called. */
export interface AllowList {
  readonly entries: readonly string[];
  /** Whether this name (lower case, without brackets) was named, on this port. */
  allowsHost(host: string, port: number): boolean;
  /** Whether this address is inside a block that was named, on this port. */
  allowsAddress(address: string, port: number): boolean;
}

const namePattern = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/**
 * Parses the entries of `PARLEY_OUTBOUND_ALLOW`: a host name (`hooks.corp.lan`), an address, a block (`10.1.0.0/16`),
 * each with `:port` or without; an IPv6 address with a port is in brackets. Throws RangeError for anything else.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map(parseEntry);
  const onPort = (rule: Rule, port: number): boolean => rule.port === null || rule.port === port;
  return {
    entries: [...entries],
    allowsHost: (host, port) => rules.some((rule) => rule.name !== null && rule.name === host && onPort(rule, port)),
    allowsAddress: (address, port) =>
      rules.some((rule) => rule.block?.contains(address) === true && onPort(rule, port)),
  };
}

interface Rule {
  name: string | null;
  block: AddressBlock | null;
  port: number | null;
}

function parseEntry(entry: string): Rule {
  const text = entry.trim().toLowerCase();
  const whole = parseBlock(text);
  if (whole !== null) return { name: null, block: whole, port: null };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65535)) throw badEntry(entry);
  const block = parseBlock(host);
  if (block !== null) return { name: null, block, port };
  // A mistyped address (10.0.0.300, 10.1.0.0/99) must not pass as a name that is never met.
  if (bracketed !== undefined || !namePattern.test(host) || /^[\d.]+$/.test(host) || canonicalAddress(host) !== null)
    throw badEntry(entry);
  return { name: host, block: null, port };
}

function badEntry(entry: string): RangeError {
  return new RangeError(
    `PARLEY_OUTBOUND_ALLOW: "${entry}" is neither a host name nor an address nor a block of addresses`,
  );
}
