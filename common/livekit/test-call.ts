import { SipCallError, SipClient } from "livekit-server-sdk";
import type { LiveKitAccess } from "./livekit-server.js";
import { httpUrl } from "./reachability.js";

/** A call that somebody makes to see whether calls can be made. */
export interface TestCall {
  trunkId: string;
  number: string;
  /** Where the one who is called comes in, as a participant. */
  room: string;
  ringingSeconds: number;
}

/** LiveKit SIP joins the room, and answers in the time of the ringing and these seconds. */
const SPARE_SECONDS = 15;

/** Calls a number. Gives null when it was answered, else why it was not. */
export async function placeTestCall(access: LiveKitAccess, call: TestCall): Promise<string | null> {
  const client = new SipClient(httpUrl(access.url), access.apiKey, access.apiSecret);
  const { ringingSeconds, trunkId, number, room } = call;
  try {
    await client.createSipParticipant(trunkId, number, room, {
      ...{ participantIdentity: "callee", waitUntilAnswered: true, ringingTimeout: ringingSeconds },
      ...{ maxCallDuration: 60, timeout: ringingSeconds + SPARE_SECONDS },
    });
    return null;
  } catch (error) {
    if (error instanceof SipCallError) return `${error.sipStatusCode} ${error.sipStatus}`;
    return error instanceof Error ? error.message : String(error);
  }
}
