import { networkInterfaces } from "node:os";
import { canonicalAddress, isPublicAddress } from "../address.js";
import { type AllowList, parseAllowList } from "./allow-list.js";

/** What may be called: public hosts that are not this machine, and what the operator exempts. */
export interface OutboundRules {
  readonly allow: AllowList;
  /** Whether a connection may go to this address on this port. */
  mayCall(address: string, port: number): boolean;
}

/** Throws RangeError for an entry of the allow-list that cannot be read. */
export function outboundRules(
  allowed: readonly string[],
  ownAddresses: () => readonly string[] = addressesOfThisMachine,
): OutboundRules {
  const allow = parseAllowList(allowed);
  const isOwn = (address: string): boolean =>
    ownAddresses().some((own) => canonicalAddress(own) === canonicalAddress(address));
  return {
    allow,
    mayCall: (address, port) => allow.allowsAddress(address, port) || (isPublicAddress(address) && !isOwn(address)),
  };
}

/** A machine with a public address of its own has services on it that the world outside does not reach. */
function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
