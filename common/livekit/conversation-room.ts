import type { RoomSettings } from "./livekit-server.js";

/** A caller, the agent, and for a moment the runtimes that take over from one another. */
const MAX_PARTICIPANTS = 5;
/** How long a room outlives the last one who leaves: a caller whose network is gone comes back to it. */
const DEPARTURE_SECONDS = 30;

/** A room for one conversation, which stays for so many seconds while nobody has joined. */
export function conversationRoom(name: string, emptySeconds: number): RoomSettings {
  return { name, emptySeconds, departureSeconds: DEPARTURE_SECONDS, maxParticipants: MAX_PARTICIPANTS };
}
