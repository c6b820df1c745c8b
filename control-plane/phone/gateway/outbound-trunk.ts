import type { LiveKitSip } from "#common/livekit/livekit-sip";
import { ProviderFailure } from "../providers/provider.js";
import type { PhoneRow } from "../tables.js";
import { objectsOf, readObjects } from "./gateway.js";
import { type GatewayContext, placeNumber, readInstallation, toGatewayFailure } from "./place-number.js";

/**
 * The trunk by which calls of a number leave, as the LiveKit server calls it; one that is missing is made. Rejects with
 * ProviderFailure.
 */
export async function outboundTrunkOf(context: GatewayContext, sip: LiveKitSip, row: PhoneRow): Promise<string> {
  const found = await findTrunk(context, sip, row);
  if (found !== null) return found;
  await placeNumber(context, sip, row);
  const placed = await findTrunk(context, sip, row);
  if (placed === null) throw new ProviderFailure("the number has no outbound trunk there", true);
  return placed;
}

async function findTrunk(context: GatewayContext, sip: LiveKitSip, row: PhoneRow): Promise<string | null> {
  try {
    const installation = await readInstallation(context);
    const objects = await readObjects(sip, installation, row.phoneNumber);
    return objectsOf(installation, objects, row.id).outbound[0]?.id ?? null;
  } catch (error) {
    throw toGatewayFailure(error);
  }
}
