import type { Sealer } from "#common/secrets/sealer";
import type { SipConfig } from "#protocol/agents/phone";
import type { PhoneRow, SipRecord, SipSecrets } from "./tables.js";

type Side = keyof SipSecrets;

const contextOf = (phoneId: string, side: Side): string => `phone:${phoneId}:${side}`;

/** What of a trunk may be read back. */
export function withoutPasswords(config: SipConfig): SipRecord {
  return {
    inbound_auth_username: config.inbound_auth_username,
    inbound_allowed_addresses: config.inbound_allowed_addresses,
    termination_uri: config.termination_uri,
    termination_transport: config.termination_transport,
    termination_auth_username: config.termination_auth_username,
  };
}

/**
 * Seals the passwords of a trunk for one number. An empty one keeps what is stored; where no user name is left, neither
 * is a password.
 */
export function sealPasswords(sealer: Sealer, phoneId: string, config: SipConfig, stored: SipSecrets): SipSecrets {
  const sealed: SipSecrets = {};
  const sides: [Side, string, string][] = [
    ["inbound", config.inbound_auth_username, config.inbound_auth_password],
    ["termination", config.termination_auth_username, config.termination_auth_password],
  ];
  for (const [side, username, password] of sides) {
    if (username === "") continue;
    const secret = password === "" ? stored[side] : sealer.seal(password, contextOf(phoneId, side));
    if (secret !== undefined) sealed[side] = secret;
  }
  return sealed;
}

/** The passwords of a number's trunk; empty where it has none. Throws SealError where the key of one is gone. */
export function openPasswords(
  sealer: Sealer,
  { id, sipSecrets }: Pick<PhoneRow, "id" | "sipSecrets">,
): Record<Side, string> {
  const open = (side: Side): string => {
    const sealed = sipSecrets[side];
    return sealed === undefined ? "" : sealer.open(sealed, contextOf(id, side));
  };
  return { inbound: open("inbound"), termination: open("termination") };
}
