import type { DispatchRule, InboundTrunk, OutboundTrunk, Stored } from "#common/livekit/livekit-sip";
import type { Finding } from "../finding.js";

/** What a LiveKit server has for phone lines. */
export interface PhoneLines {
  inbound: Stored<InboundTrunk>[];
  outbound: Stored<OutboundTrunk>[];
  rules: Stored<DispatchRule>[];
}

/** Looks at numbers, trunks and rules for what keeps calls from coming through. */
export function examineLines({ inbound, outbound, rules }: PhoneLines): Finding[] {
  const ids = new Set(inbound.map(({ id }) => id));
  return [
    summary(inbound, outbound),
    ...inbound.map((trunk) => lineFinding(trunk, rules)).sort((one, other) => one.subject.localeCompare(other.subject)),
    ...doubleNumbers(inbound),
    ...rules.filter(({ trunkIds }) => trunkIds.some((id) => !ids.has(id))).map(strayRule),
  ];
}

function summary(inbound: readonly InboundTrunk[], outbound: readonly OutboundTrunk[]): Finding {
  const subject = "phone lines";
  if (inbound.length + outbound.length === 0)
    return {
      subject,
      state: "optional",
      detail: "there is no number yet",
      remedy: "docs/phone.md says how to get one",
    };
  const detail = `calls come by ${counted(inbound.length)} and leave by ${counted(outbound.length)}`;
  return { subject, state: "ok", detail, remedy: null };
}

const counted = (trunks: number): string => (trunks === 1 ? "1 trunk" : `${trunks} trunks`);

/** Whether somebody answers a trunk's calls. */
function lineFinding(trunk: Stored<InboundTrunk>, rules: readonly Stored<DispatchRule>[]): Finding {
  const subject = `calls to ${trunk.numbers.join(", ") || "any number"}`;
  const isAnswered = rules.some(({ trunkIds }) => trunkIds.length === 0 || trunkIds.includes(trunk.id));
  if (!isAnswered) {
    const detail = "no rule: callers hear it ring, and nobody answers";
    return {
      subject,
      state: "optional",
      detail,
      remedy: "the control plane makes one within a minute: see whether it runs, and what its log says",
    };
  }
  const isOpen = trunk.allowedAddresses.length === 0 && trunk.authUsername === "";
  if (!isOpen) return { subject, state: "ok", detail: "a rule takes them into a room", remedy: null };
  const detail = "taken from everywhere, without authentication";
  return { subject, state: "optional", detail, remedy: "set inbound_allowed_addresses, or a user name and a password" };
}

/** LiveKit refuses calls of a number that several trunks have. */
function doubleNumbers(inbound: readonly Stored<InboundTrunk>[]): Finding[] {
  const numbers = inbound.flatMap((trunk) => trunk.numbers);
  const doubles = [...new Set(numbers.filter((number, at) => numbers.indexOf(number) !== at))];
  return doubles.map((number) => {
    const detail = "several trunks have it, and LiveKit does not choose between them";
    return { subject: `calls to ${number}`, state: "missing", detail, remedy: "delete those that are not Parley's" };
  });
}

function strayRule({ name, id }: Stored<DispatchRule>): Finding {
  const detail = "names a trunk that is not there";
  const remedy = "the control plane puts its own right within a minute; others are to be deleted by hand";
  return { subject: `rule ${name || id}`, state: "missing", detail, remedy };
}
