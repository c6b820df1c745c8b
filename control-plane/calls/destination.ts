import type { ErrorCode } from "#protocol/errors";

/**
 * What begins numbers that cost their caller more than a call: premium-rate and shared-cost services of the countries
 * where they have prefixes of their own, international ones (+979), and satellite networks (+870, +881 to +883).
 */
const premiumPrefixes: readonly string[] = [
  ...["+1900", "+3190", "+3290", "+3389", "+34803", "+34806", "+34807", "+351760", "+351761", "+35315", "+35370"],
  ...["+358600", "+358700", "+3689", "+36906", "+39892", "+39899", "+4090", "+41900", "+41901", "+41906", "+42090"],
  ...["+43900", "+43901", "+43930", "+43931", "+44870", "+44871", "+44872", "+44873", "+449", "+4590", "+46900"],
  ...["+46939", "+46944", "+4782", "+48700", "+48701", "+48703", "+48708", "+49137", "+49900", "+6119", "+6490"],
  ...["+81990", "+870", "+878", "+881", "+882", "+883", "+979"],
];

/** Which numbers agents may call. Prefixes begin with a plus. */
export interface DestinationRules {
  /** Empty is every number. */
  allow: readonly string[];
  deny: readonly string[];
}

type Refusal = Extract<
  ErrorCode,
  "destination_invalid" | "self_call_blocked" | "premium_destination_blocked" | "destination_not_allowed"
>;

/** Why a number is not called; null where it may be. `ownNumbers` are those of the team that calls. Pure. */
export function destinationRefusal(
  number: string,
  ownNumbers: ReadonlySet<string>,
  { allow, deny }: DestinationRules,
): Refusal | null {
  const beginsWith = (prefix: string): boolean => number.startsWith(prefix);
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return "destination_invalid";
  if (ownNumbers.has(number)) return "self_call_blocked";
  if (premiumPrefixes.some(beginsWith)) return "premium_destination_blocked";
  if (deny.some(beginsWith) || (allow.length > 0 && !allow.some(beginsWith))) return "destination_not_allowed";
  return null;
}
