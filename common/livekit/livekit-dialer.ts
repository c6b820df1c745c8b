import { SipCallError, SipClient } from "livekit-server-sdk";
import { askLiveKit, LiveKitError } from "./livekit-error.js";
import type { LiveKitAccess } from "./livekit-server.js";
import { httpUrl } from "./reachability.js";

/** A call to be made, and the place of whoever is called. */
export interface Dial {
  trunkId: string;
  /** E.164; the trunk's first where absent. */
  fromNumber?: string;
  toNumber: string;
  room: string;
  /** Of the participant that whoever is called becomes. */
  identity: string;
  ringMs: number;
  /** The line is cut after it, whatever else happens. */
  maxDurationMs: number;
}

/** Thrown when the call was made and not answered; `sipStatus` is what the other side said, and `reason` in words. */
export class DialRefused extends Error {
  override readonly name = "DialRefused";
  constructor(
    readonly sipStatus: number,
    reason: string,
    cause: unknown,
  ) {
    super(`${sipStatus} ${reason}`.trim(), { cause });
  }
}

/** A call that somebody else is to take over, by what their carrier connects (RFC 3515). */
export interface Referral {
  room: string;
  /** Of the participant whose call it is. */
  identity: string;
  /** E.164. */
  toNumber: string;
  ringMs: number;
}

/** What the server takes besides the time that it rings. */
const ANSWER_MS = 10_000;

/**
 * Gives what has LiveKit SIP call a number: it resolves once it is answered. Rejects with DialRefused, and with
 * LiveKitError where nobody knows what became of it: it may ring yet.
 */
export function openDialer(access: LiveKitAccess): (call: Dial) => Promise<void> {
  // Another region that is asked again would call a second time.
  const client = new SipClient(httpUrl(access.url), access.apiKey, access.apiSecret, { failover: false });
  return (call) => dial(client, call);
}

/**
 * Gives what has LiveKit SIP transfer a call by REFER: it resolves once the other number has taken it. Rejects as
 * `openDialer` does.
 */
export function openReferrer(access: LiveKitAccess): (referral: Referral) => Promise<void> {
  const client = new SipClient(httpUrl(access.url), access.apiKey, access.apiSecret, { failover: false });
  return ({ room, identity, toNumber, ringMs }) =>
    unlessRefused("transferSipParticipant", () =>
      client.transferSipParticipant(room, identity, `tel:${toNumber}`, {
        ringingTimeout: seconds(ringMs),
        timeout: seconds(ringMs + ANSWER_MS),
      }),
    );
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

function dial(client: SipClient, call: Dial): Promise<void> {
  return unlessRefused("createSipParticipant", async () => {
    await client.createSipParticipant(call.trunkId, call.toNumber, call.room, {
      ...(call.fromNumber === undefined ? {} : { fromNumber: call.fromNumber }),
      participantIdentity: call.identity,
      participantName: call.toNumber,
      ringingTimeout: seconds(call.ringMs),
      maxCallDuration: seconds(call.maxDurationMs),
      waitUntilAnswered: true,
      timeout: seconds(call.ringMs + ANSWER_MS),
    });
  });
}

/** Asks for a call; one that was refused rejects with DialRefused. */
async function unlessRefused(operation: string, ask: () => Promise<void>): Promise<void> {
  try {
    await askLiveKit(operation, ask);
  } catch (error) {
    const refused = error instanceof LiveKitError && error.cause instanceof SipCallError ? error.cause : null;
    if (refused?.sipStatusCode === undefined) throw error;
    throw new DialRefused(refused.sipStatusCode, refused.sipStatus ?? "", error);
  }
}
