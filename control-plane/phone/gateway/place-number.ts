import { eq } from "drizzle-orm";
import type { LiveKitSip } from "#common/livekit/livekit-sip";
import { LiveKitError } from "#common/livekit/livekit-error";
import { SealError } from "#common/secrets/sealer";
import type { PhoneContext } from "../context.js";
import { ProviderFailure } from "../providers/provider.js";
import { type PhoneRow, phoneGateway } from "../tables.js";
import { alignObjects, objectsOf, readObjects } from "./gateway.js";
import {
  importedTrunk,
  type Installation,
  ownerOf,
  type TrunkSettings,
  type WantedObjects,
  wantedObjects,
} from "./wanted-objects.js";

/** What messages call the gateway. */
export const GATEWAY_LABEL = "LiveKit SIP";

/** What the placing of numbers needs. */
export type GatewayContext = Pick<PhoneContext, "db" | "sealer" | "twilio">;

/** What this installation is called at a LiveKit server. */
export async function readInstallation({ db, sealer }: GatewayContext): Promise<Installation> {
  const [row] = await db.select({ id: phoneGateway.installationId }).from(phoneGateway);
  if (row === undefined) throw new RangeError("the row of phone_gateway is gone");
  return { id: row.id, sealer };
}

/**
 * What a LiveKit server should have for a number; null where nobody can say it, since its provider is not configured
 * any more.
 */
export function wantedOf(context: GatewayContext, installation: Installation, row: PhoneRow): WantedObjects | null {
  const trunk = row.provider === "twilio" ? twilioTrunk(context) : importedTrunk(context.sealer, row);
  return trunk === null ? null : wantedObjects(installation, row, trunk);
}

function twilioTrunk({ twilio }: GatewayContext): TrunkSettings | null {
  if (twilio === null) return null;
  const { signalingAddresses, terminationUri, terminationUsername, terminationPassword } = twilio;
  return {
    ...{ allowedAddresses: signalingAddresses, inboundUsername: "", inboundPassword: "", transport: "auto" },
    ...{ terminationUri, terminationUsername, terminationPassword },
  };
}

/** Gives one number its trunks and its rule. Rejects with ProviderFailure. */
export async function placeNumber(context: GatewayContext, sip: LiveKitSip, row: PhoneRow): Promise<void> {
  await reachingGateway(async () => {
    await context.db.update(phoneGateway).set({ inUse: true }).where(eq(phoneGateway.inUse, false));
    const installation = await readInstallation(context);
    const wanted = wantedOf(context, installation, row);
    if (wanted === null) return;
    const objects = await readObjects(sip, installation, row.phoneNumber);
    // Left by a release that did not come to its end: the server would call them a conflict.
    for (const trunk of [...objects.inbound, ...objects.outbound])
      if (ownerOf(installation, trunk) !== row.id) await sip.deleteTrunk(trunk.id);
    await alignObjects(sip, wanted, objectsOf(installation, objects, row.id));
  });
}

/** Takes everything of a number away. Rejects with ProviderFailure. */
export async function removeNumber(context: GatewayContext, sip: LiveKitSip, row: PhoneRow): Promise<void> {
  await reachingGateway(async () => {
    const installation = await readInstallation(context);
    const objects = await readObjects(sip, installation, row.phoneNumber);
    await alignObjects(sip, null, objectsOf(installation, objects, row.id));
  });
}

async function reachingGateway(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw toGatewayFailure(error);
  }
}

/** What people read of a failure. It is final: what was done in part is put right by the next comparison. */
export function toGatewayFailure(error: unknown): unknown {
  if (error instanceof SealError) {
    const detail = "the key in PARLEY_SECRET_KEY that sealed the number's password is gone; give the password again";
    return new ProviderFailure(detail, true, error);
  }
  if (!(error instanceof LiveKitError)) return error;
  if (error.status === null) return new ProviderFailure("the LiveKit server does not answer", true, error);
  const message = error.cause instanceof Error ? error.cause.message : "";
  const detail = /redis/i.test(message)
    ? "the LiveKit server has no SIP: its configuration needs Redis"
    : `the LiveKit server answered ${error.status}`;
  return new ProviderFailure(detail, true, error);
}
