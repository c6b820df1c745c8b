import { WebhookReceiver } from "livekit-server-sdk";
import type { LiveKitAccess } from "./livekit-server.js";

/** What a server told of. */
export interface LiveKitEvent {
  /** Such as `participant_joined`. */
  name: string;
  /** Empty where it is about none. */
  room: string;
}

/** Gives what reads a message to the server's webhook; null for one that was not signed with its key, or is no event. */
export function openEventReader(access: LiveKitAccess): (body: string, token: string) => Promise<LiveKitEvent | null> {
  const receiver = new WebhookReceiver(access.apiKey, access.apiSecret);
  return async (body, token) => {
    try {
      const { event, room } = await receiver.receive(body, token);
      return { name: event, room: room?.name ?? "" };
    } catch {
      // It says why to whoever forged it.
      return null;
    }
  };
}
