import { setTimeout as delay } from "node:timers/promises";
import { RoomServiceClient } from "livekit-server-sdk";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { httpUrl } from "#common/livekit/reachability";

/** How long a server that was killed may take to be back with the participant in it, and how often it is asked. */
const BACK_MS = 15_000;
const ASK_MS = 500;

/**
 * Makes sure that a participant who has left is gone. Where its server is killed at that moment, the native part of
 * LiveKit's library goes on looking for the room that it was told to leave, and joins it again; LiveKit SIP's does not.
 */
export async function putOut(
  { url, apiKey, apiSecret }: LiveKitAccess,
  { room, identity }: { room: string; identity: string },
): Promise<void> {
  const rooms = new RoomServiceClient(httpUrl(url), apiKey, apiSecret, { requestTimeout: 2 });
  const untilMs = performance.now() + BACK_MS;
  for (; performance.now() < untilMs; await delay(ASK_MS, undefined, { ref: false })) {
    // It may come a moment after its server.
    const isGone = await rooms.removeParticipant(room, identity).then(
      () => true,
      () => false,
    );
    if (isGone) return;
  }
}
