import { z } from "zod";
import type { DispatchRule, InboundTrunk, OutboundTrunk } from "#common/livekit/livekit-sip";
import type { Sealer } from "#common/secrets/sealer";
import type { SipTransport } from "#protocol/agents/phone";
import { openPasswords } from "../sip-secrets.js";
import type { PhoneRow } from "../tables.js";

/** How calls reach a number and leave from it. */
export interface TrunkSettings {
  allowedAddresses: readonly string[];
  inboundUsername: string;
  inboundPassword: string;
  /** `hostname[:port]`; empty where no calls leave. */
  terminationUri: string;
  transport: SipTransport;
  terminationUsername: string;
  terminationPassword: string;
}

/** What a LiveKit server should have for one number. */
export interface WantedObjects {
  inbound: InboundTrunk;
  /** Null where the number has no termination. */
  outbound: OutboundTrunk | null;
  /**
   * Also of a number that no agent answers: without a rule LiveKit SIP lets its callers hear it ring and says no more,
   * while the control plane hangs up on whoever comes into a room (`calls/inbound.ts`), which tells them that it is busy.
   */
  rule: Omit<DispatchRule, "trunkIds">;
}

/** Whose numbers those are that the objects of a server belong to. */
export interface Installation {
  id: string;
  sealer: Sealer;
}

/** How the trunk of an imported number is configured. */
export function importedTrunk(sealer: Sealer, row: PhoneRow): TrunkSettings {
  const { sip } = row;
  const passwords = openPasswords(sealer, row);
  return {
    allowedAddresses: sip?.inbound_allowed_addresses ?? [],
    inboundUsername: sip?.inbound_auth_username ?? "",
    inboundPassword: passwords.inbound,
    terminationUri: sip?.termination_uri ?? "",
    transport: sip?.termination_transport ?? "auto",
    terminationUsername: sip?.termination_auth_username ?? "",
    terminationPassword: passwords.termination,
  };
}

/** What the metadata of an object of ours says. */
const mark = z.object({ parley: z.string(), phone_number_id: z.string(), digest: z.string() });

/** The number that an object of this installation belongs to; null for everybody else's objects. */
export function ownerOf(installation: Installation, { metadata }: { metadata: string }): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    return null; // whatever it is, it is not ours
  }
  const read = mark.safeParse(parsed);
  return read.success && read.data.parley === installation.id ? read.data.phone_number_id : null;
}

/** What the names of a number's rooms begin with. */
const roomPrefixOf = (phoneId: string): string => `phone-${phoneId}-`;

/**
 * What a LiveKit server should have for a number. Each object carries a signature of its passwords, which tells that one
 * was changed without showing it.
 */
export function wantedObjects(installation: Installation, row: PhoneRow, trunk: TrunkSettings): WantedObjects {
  const { id, phoneNumber } = row;
  const name = `parley ${phoneNumber}`;
  const metadata = (password: string): string =>
    JSON.stringify({
      ...{ parley: installation.id, phone_number_id: id },
      digest: installation.sealer.sign(password, `phone:${id}:trunk`),
    });
  const inbound = {
    ...{ name, numbers: [phoneNumber], allowedAddresses: [...trunk.allowedAddresses] },
    ...{ authUsername: trunk.inboundUsername, authPassword: trunk.inboundPassword },
    metadata: metadata(trunk.inboundPassword),
  };
  const outbound = {
    ...{ name, numbers: [phoneNumber], address: trunk.terminationUri, transport: trunk.transport },
    ...{ authUsername: trunk.terminationUsername, authPassword: trunk.terminationPassword },
    metadata: metadata(trunk.terminationPassword),
  };
  const attributes = { "parley.phone_number_id": id };
  const rule = { name, roomPrefix: roomPrefixOf(id), attributes, metadata: metadata("") };
  return { inbound, outbound: trunk.terminationUri === "" ? null : outbound, rule };
}
