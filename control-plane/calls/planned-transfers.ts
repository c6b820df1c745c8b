import type { AgentConfig } from "#protocol/agents/config";
import type { PlannedDestination, PlannedTransfers } from "#protocol/bus/conversation";
import { outboundTrunkOf } from "../phone/gateway/outbound-trunk.js";
import type { PhoneRow } from "../phone/tables.js";
import type { CallContext } from "./context.js";
import { destinationRefusal } from "./destination.js";

/**
 * To whom the caller of a call may be transferred; undefined where there is nobody. Destinations that may not be called
 * are left out, and warm ones where no calls can leave from the number: a call does not fail for that. Never rejects.
 */
export async function plannedTransfers(
  context: CallContext,
  number: PhoneRow,
  config: AgentConfig,
): Promise<PlannedTransfers | undefined> {
  const { phones, sessions, settings } = context;
  const { phoneNumber } = number;
  if (!settings.dialsOut || !config.tools.enabled) return undefined;
  const named = namedDestinations(config.conversation.transfer_destinations);
  const allowed = named.filter(
    (destination) => destinationRefusal(destination.phoneNumber, new Set([phoneNumber]), settings) === null,
  );
  const isWarm = allowed.some(({ mode }) => mode === "warm");
  const trunkId =
    isWarm && phones.sip !== null
      ? await outboundTrunkOf(phones, phones.sip, number).catch((error: unknown) => {
          sessions.log.warn({ err: error, number: number.id }, "a call has no warm transfers: no calls leave from it");
          return null;
        })
      : null;
  const destinations = allowed.filter(({ mode }) => mode === "cold" || trunkId !== null);
  if (destinations.length < named.length)
    sessions.log.warn(
      { number: number.id, leftOut: named.length - destinations.length },
      "destinations of transfers are left out: they may not be called, or not from this number",
    );
  if (destinations.length === 0) return undefined;
  return { destinations, trunkId, fromNumber: phoneNumber, ringMs: settings.ringMs };
}

/** Gives each destination a name of its own: its label, or its number. Pure. */
export function namedDestinations(
  configured: AgentConfig["conversation"]["transfer_destinations"],
): PlannedDestination[] {
  const taken = new Set<string>();
  return configured.flatMap(({ label, phone_number: phoneNumber, mode, warm_connect: connect }) => {
    const short = label.trim() === "" ? phoneNumber : label.trim();
    const name = taken.has(short) ? `${short} (${phoneNumber})` : short;
    // The same number twice under one name is one destination.
    if (taken.has(name)) return [];
    taken.add(name);
    return [{ name, phoneNumber, mode, confirms: connect === "confirm" }];
  });
}
