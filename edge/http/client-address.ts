import { type AddressBlock, canonicalAddress, parseBlock } from "#common/address";

/** Who sent a request, from the address of the connection's other end and the `X-Forwarded-For` header. */
export type ReadClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/** Most entries of the header that are looked at. */
const MAX_HOPS = 16;

/**
 * Reads client addresses behind the given proxies. Each proxy adds the address that it saw to the end of the header, so
 * the client is the last one that is no proxy of ours; what stands before it anybody may have written. Without proxies
 * the header means nothing. Throws RangeError for an entry that is neither an address nor a block of addresses.
 */
export function clientAddressBehind(proxies: readonly string[]): ReadClientAddress {
  const blocks = proxies.map(parseProxy);
  const isProxy = (address: string): boolean => blocks.some((block) => block.contains(address));
  return (peer, forwardedFor) => {
    let client = canonicalAddress(peer) ?? peer;
    if (blocks.length === 0 || forwardedFor === undefined) return client;
    for (const hop of forwardedFor.split(",").slice(-MAX_HOPS).reverse()) {
      if (!isProxy(client)) break;
      const address = canonicalAddress(withoutPort(hop.trim()));
      if (address === null) break;
      client = address;
    }
    return client;
  };
}

function parseProxy(entry: string): AddressBlock {
  const block = parseBlock(entry);
  if (block === null)
    throw new RangeError(`PARLEY_TRUSTED_PROXIES: "${entry}" is neither an address nor a block of addresses`);
  return block;
}

/** Some proxies write `a.b.c.d:port` and `[x::y]:port`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
