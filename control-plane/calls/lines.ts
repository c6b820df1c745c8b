import { z } from "zod";
import { openEventReader } from "#common/livekit/livekit-events";
import { type LiveKitAccess, openLiveKitServer } from "#common/livekit/livekit-server";

/** A phone call that came in: LiveKit SIP has put its caller into a room of its own. */
export interface PhoneLine {
  room: string;
  /** Whose rule made the room. */
  phoneNumberId: string;
  /** Of the caller in the room. */
  identity: string;
  callerNumber: string;
  dialedNumber: string;
}

/** Calls that came in, as the LiveKit server has them. Every call rejects with LiveKitError. */
export interface PhoneLines {
  /** Rooms of calls. */
  rooms(): Promise<string[]>;
  /** The call of a room; null where nobody calls in it (any more). */
  lineOf(room: string): Promise<PhoneLine | null>;
  /** Hangs up on whoever calls in a room. */
  hangUp(room: string): Promise<void>;
  /**
   * Reads a message to LiveKit's webhook: the room into which a call may have come, or null for other events. Null as a
   * whole where the LiveKit server did not sign it.
   */
  readEvent(body: string, token: string): Promise<{ room: string | null } | null>;
}

const roomName = /^phone-([0-9a-f]{32})-/;

/** What LiveKit SIP says of a caller, and the rule of the number (`phone/gateway/wanted-objects.ts`). */
const attributes = z.object({
  "sip.phoneNumber": z.string(),
  "sip.trunkPhoneNumber": z.string(),
  "parley.phone_number_id": z.string(),
});

/** The number that a room of a call belongs to; null for other rooms. Pure. */
export function numberOfRoom(room: string): string | null {
  return roomName.exec(room)?.[1] ?? null;
}

/** A caller among those who are in a room; null where there is none. Pure. */
export function findLine(
  room: string,
  present: readonly { identity: string; attributes: Readonly<Record<string, string>> }[],
): PhoneLine | null {
  const phoneNumberId = numberOfRoom(room);
  for (const { identity, attributes: given } of present) {
    const read = attributes.safeParse(given);
    if (!read.success || read.data["parley.phone_number_id"] !== phoneNumberId) continue;
    const callerNumber = read.data["sip.phoneNumber"];
    return { room, phoneNumberId, identity, callerNumber, dialedNumber: read.data["sip.trunkPhoneNumber"] };
  }
  return null;
}

/** Those of a LiveKit server. */
export function openPhoneLines(access: LiveKitAccess): PhoneLines {
  const server = openLiveKitServer(access);
  const read = openEventReader(access);
  return {
    async readEvent(body, token) {
      const event = await read(body, token);
      if (event === null) return null;
      return { room: event.name === "participant_joined" && numberOfRoom(event.room) !== null ? event.room : null };
    },
    rooms: async () => (await server.listRooms()).filter((room) => numberOfRoom(room) !== null),
    lineOf: async (room) => findLine(room, await server.listParticipants(room)),
    hangUp: (room) => server.deleteRoom(room),
  };
}
